// Package pages owns the templates of the pages, and the files that they load. It holds nothing else.
package pages

import "embed"

// Files is all of them.
//
//go:embed *.html *.js *.css *.svg
var Files embed.FS
