package web

import (
	"io"
	"os"
)

// Way is giving way by a pipe.
func Way(in *os.File, out io.Writer) (give func()) { return newWay(in, out).give }
