//go:build linux || darwin

package data

import "golang.org/x/sys/unix"

// FreeBytes is the room on the disk of a folder that its owner may use.
func FreeBytes(folder string) (int64, error) {
	var stat unix.Statfs_t
	err := unix.Statfs(folder, &stat)
	return int64(stat.Bavail) * int64(stat.Bsize), err //nolint:gosec,unconvert // types differ between systems
}
