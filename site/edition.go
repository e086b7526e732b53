package site

// Edition is which features the server offers (docs/limits.md).
type Edition string

// The editions. All is the default and offers every feature.
const (
	EditionAll         Edition = "all"
	EditionHosted      Edition = "hosted"
	EditionSelfManaged Edition = "self-managed"
)

// Feature is a part of the API that not every edition offers.
type Feature int

// The features that an edition may lack. Everywhere marks what all of them have.
const (
	Everywhere Feature = iota
	Assessments
	ChangeRequests
	DataRetention
)

// Valid says whether the edition is one of the three.
func (e Edition) Valid() bool {
	return e == EditionAll || e == EditionHosted || e == EditionSelfManaged
}

// Offers says whether the edition has the feature: assessments and change requests are
// of the hosted edition, data retention of the self-managed one.
func (e Edition) Offers(f Feature) bool {
	switch f {
	case Assessments, ChangeRequests:
		return e != EditionSelfManaged
	case DataRetention:
		return e != EditionHosted
	default:
		return true
	}
}
