//go:build !linux

package main

import "errors"

// apart is not to be had.
func apart() error { return errors.New("-apart needs Linux") }
