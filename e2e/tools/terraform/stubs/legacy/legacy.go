// Package legacy stands in for code that nothing here uses.
package legacy
