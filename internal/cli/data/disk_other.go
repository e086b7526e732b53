//go:build !linux && !darwin

package data

import "errors"

// FreeBytes is not known here.
func FreeBytes(string) (int64, error) { return 0, errors.New("not on this system") }
