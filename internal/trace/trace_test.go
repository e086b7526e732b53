package trace

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOffCostsNothing holds that whoever tells nobody makes nothing for it.
func TestOffCostsNothing(t *testing.T) {
	none, err := Open(t.Context(), Config{})
	if none != nil || err != nil {
		t.Fatalf("%v, %v", none, err)
	}
	ctx := none.Into(context.WithValue(t.Context(), anyKey{}, "something"))
	request := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
	request.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	made := testing.AllocsPerRun(1000, func() {
		served, span := Serve(request, http.MethodGet, "/x")
		within, part := Begin(served.Context(), "part")
		if part.Recorded() || within != ctx || served != request {
			t.Error("something is recorded")
		}
		part.End(nil)
		span.Answered(http.StatusOK, "id", "user-1")
	})
	if made != 0 {
		t.Errorf("%v allocations", made)
	}
	none.Close(ctx)
}

type anyKey struct{}

func BenchmarkOff(b *testing.B) {
	ctx := context.WithValue(b.Context(), anyKey{}, "something")
	for b.Loop() {
		_, span := Begin(ctx, "part")
		span.End(nil)
	}
}
