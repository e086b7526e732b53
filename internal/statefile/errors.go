package statefile

import (
	"errors"
	"fmt"
	"strconv"
)

// No error of this package repeats a value of the file (at most the one
// character that broke the syntax), because any value may be a secret. An
// error that is none of these types comes from the reader.

// SyntaxError says that the bytes are not one JSON document in UTF-8.
type SyntaxError struct {
	// Offset is about where in the file the trouble begins, in bytes.
	Offset int64
	// Detail says what is wrong.
	Detail string
}

// Error says what is wrong and where.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("state file is not valid JSON: %s at byte %d", e.Detail, e.Offset)
}

// VersionError says that the file has a format version other than
// FormatVersion, or none at all.
type VersionError struct {
	// Found is the version in the file, "" where there is none.
	Found string
}

// Error names the version found and the one needed.
func (e *VersionError) Error() string {
	if e.Found == "" {
		return "state file has no format version: version 4 is needed"
	}
	return "state file has format version " + e.Found + ": version 4 is needed"
}

// EncryptedError says that the file is a state encrypted by OpenTofu. Nothing
// but serial and lineage can be read, so it can be stored but not looked into.
type EncryptedError struct {
	// Serial is the serial beside the encrypted data.
	Serial int64
	// Lineage is the lineage beside the encrypted data.
	Lineage string
}

// Error says that the state is encrypted.
func (e *EncryptedError) Error() string {
	return "state file is encrypted by OpenTofu: its contents cannot be read"
}

// TooLargeError says that looking into the file would take too much memory. What
// stands before the place is known, so the file can be stored but not looked into.
type TooLargeError struct {
	// Serial is the state's serial, if it came first.
	Serial int64
	// Lineage is the state's lineage, if it came first.
	Lineage string
	// Detail says what is too large.
	Detail string
}

// Error says what is too large.
func (e *TooLargeError) Error() string { return "state file cannot be looked into: " + e.Detail }

// FormatError says that the file is JSON but not a well-formed state.
type FormatError struct {
	// Path is where, such as "resources[3].mode".
	Path string
	// Detail says what is wrong there.
	Detail string
}

// Error says what is wrong and where.
func (e *FormatError) Error() string {
	if e.Path == "" {
		return "state file " + e.Detail
	}
	return "state file: " + e.Path + " " + e.Detail
}

// within puts the place a FormatError was met in front of its path.
func within(place string, err error) error {
	var f *FormatError
	if !errors.As(err, &f) {
		return err
	}
	switch {
	case f.Path == "":
		f.Path = place
	case f.Path[0] == '[':
		f.Path = place + f.Path
	default:
		f.Path = place + "." + f.Path
	}
	return f
}

// at is a place in a list.
func at(i int) string { return "[" + strconv.Itoa(i) + "]" }
