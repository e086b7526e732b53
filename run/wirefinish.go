package run

// Finish is how a job ended, with what is short of the rest that it has to bring. It takes the place
// of the last piece of the log, of a file or two and of the end, each of which may still be told by
// its own call; all of it is kept, or nothing. A server of before answers 404.
//
// The last state of an apply is among the files where StateHome says that it is home: by this call. A
// server that takes none so refuses it with 422, unless it was told that very End.
type Finish struct {
	End   End         `json:"end"`
	Log   *LogRest    `json:"log,omitempty"`
	Files []ShortFile `json:"files,omitempty"`
}

// Asked asks whether a server was told an End of an apply, and tells it nothing: with the file that
// no apply brings only an End that is known is answered.
func Asked(end End) Finish { return Finish{End: end, Files: []ShortFile{{Kind: PlanFile}}} }

// State is the last state among what comes with an end; nil: there is none.
func (f *Finish) State() *ShortFile {
	for i := range f.Files {
		if f.Files[i].Kind == StateFile {
			return &f.Files[i]
		}
	}
	return nil
}

// LogRest is the last bytes of a log: all from a place on.
type LogRest struct {
	From int64  `json:"from"` // at most what is safe at the server
	Data []byte `json:"data"`
}

// End is where the log ends.
func (l *LogRest) End() int64 { return l.From + int64(len(l.Data)) }

// ShortFile is a file of a job that comes with its end.
type ShortFile struct {
	Kind   FileKind `json:"kind"`
	SHA256 string   `json:"sha256"` // of its bytes, in hex
	Data   []byte   `json:"data"`
}

// brings is what runners of a kind of job bring.
var brings = map[JobKind][]FileKind{
	PlanJob:   {PlanFile, PlanJSONFile, SchemasFile, LockFile, ModulesFile, GeneratedFile, EventsFile},
	ApplyJob:  {StateFile, RescuedFile, EventsFile},
	AssessJob: {PlanJSONFile, SchemasFile, EventsFile},
}

// Brings says whether runners of a kind of job bring a file of a kind.
func (k JobKind) Brings(file FileKind) bool {
	for _, known := range brings[k] {
		if known == file {
			return true
		}
	}
	return false
}
