package door

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// identifiers reads a body that is a list of references of a type. Clients send whole
// resources in it: what is not type or id is passed over.
func (r *Request) identifiers(typ string) ([]string, error) {
	refs, err := jsonapi.DecodeRefs(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return nil, err
	}
	if err := belay.CheckListed(len(refs), "/data"); err != nil {
		return nil, err // of so many nothing is looked at
	}
	ids, err := doc.RefIDs(refs, "", typ)
	return ids, r.Later(err)
}

// RelatedOne reads the one resource that a relationship of the body names. What is wrong with
// it is for later; then there is none.
func (r *Request) RelatedOne(in *jsonapi.Incoming, name string) (string, error) {
	ref, _, err := doc.RelatedRef(in, name, name+"s")
	var problems belay.Problems
	if err := problems.Add(err); err != nil {
		return "", err
	}
	if err == nil && ref.ID == "" {
		problems.At(belay.Related(name), "%s can't be blank", name)
	}
	if len(problems) > 0 {
		ref.ID = ""
	}
	return ref.ID, r.Later(problems.Err())
}

// ListOf is the schema of a list of references, each with its type.
func ListOf(typ string) func(*doc.Describer) *openapi.Schema {
	return func(*doc.Describer) *openapi.Schema { return doc.Document(openapi.List(doc.BodyRef(typ))) }
}

// Items reads the body as a list of resources of one type, which each must name.
func (r *Request) Items(typ string) ([]*jsonapi.Incoming, error) {
	list, err := jsonapi.DecodeMany(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return nil, err
	}
	if err := belay.CheckListed(len(list), "/data"); err != nil {
		return nil, err // of so many nothing is looked at
	}
	return list, r.Later(doc.CheckItems(list, typ, "/data"))
}

// ListedIDs reads the body as a list of resources of one type that each have an id, without
// repetitions.
func (r *Request) ListedIDs(typ string) ([]string, error) {
	list, err := r.Items(typ)
	if err != nil {
		return nil, err
	}
	var problems belay.Problems
	var ids []string
	for i, in := range list {
		if in.ID == "" {
			problems.At(belay.Whole.Item(i).ID(), "id can't be blank")
		} else if !slices.Contains(ids, in.ID) {
			ids = append(ids, in.ID)
		}
	}
	return ids, r.Later(problems.Err())
}
