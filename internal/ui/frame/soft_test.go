package frame

import "testing"

// TestLinesEndBehindWhatPartsAName breaks long names where they have parts, and nothing else; what is written is escaped.
func TestLinesEndBehindWhatPartsAName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ann@example.com": "ann@example.com", "somebody@mail.example.com": "somebody@<wbr>mail.<wbr>example.<wbr>com",
		"belay_last_backup_timestamp": "belay_<wbr>last_<wbr>backup_<wbr>timestamp", "a long text. With words.": "a long text. With words.",
		`<b>"a&b.com'</b><script>x.y</script>`: "&lt;b&gt;&#34;a&amp;b.com&#39;&lt;/b&gt;&lt;script&gt;x.y&lt;/script&gt;",
	} {
		if got := string(soft(text)); got != want {
			t.Errorf("%q is %s, not %s", text, got, want)
		}
	}
}
