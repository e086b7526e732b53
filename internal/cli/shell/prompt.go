package shell

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Terminal says whether somebody sits at a file.
func Terminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// typist is the terminal that somebody can be asked at; nil where the standard input is none.
func typist(c *cobra.Command) *os.File {
	if file, ok := c.InOrStdin().(*os.File); ok && Terminal(file) {
		return file
	}
	return nil
}

// Hidden asks for a secret without showing it; without a terminal it is the first line of
// the standard input.
func (p *Program) Hidden(c *cobra.Command, what string) (string, error) {
	if file := typist(c); file != nil {
		_, _ = fmt.Fprintf(p.ErrOut, "%s: ", what)
		raw, err := term.ReadPassword(int(file.Fd()))
		_, _ = fmt.Fprintln(p.ErrOut)
		return string(raw), err
	}
	line, err := firstLine(c.InOrStdin())
	if err == nil && line == "" {
		err = Misconfigured(errors.New(what + " is asked for, and the standard input is empty"))
	}
	return line, err
}

// Chosen asks for a new secret; twice where nobody sees what is typed.
func (p *Program) Chosen(c *cobra.Command, what string) (string, error) {
	first, err := p.Hidden(c, what)
	if err != nil || typist(c) == nil {
		return first, err
	}
	again, err := p.Hidden(c, "Once more")
	if err == nil && again != first {
		err = errors.New("the two differ, and nothing was changed")
	}
	return first, err
}

// firstLine is the first line of an input, without its end.
func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// Sure asks before something is lost, unless --yes was given.
func (p *Program) Sure(c *cobra.Command, yes bool, what string) error {
	if yes {
		return nil
	}
	file := typist(c)
	if file == nil {
		return Misconfigured(fmt.Errorf("%s: give --yes where nobody can be asked", what))
	}
	_, _ = fmt.Fprintf(p.ErrOut, "%s? Only yes is taken: ", what)
	answer, err := bufio.NewReader(io.LimitReader(file, 64)).ReadString('\n')
	if err == nil && strings.TrimSpace(answer) != "yes" {
		err = errors.New("nothing was changed")
	}
	return err
}
