package cli

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

func terminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// typist is the terminal that somebody can be asked at; nil where the standard input is none.
func typist(c *cobra.Command) *os.File {
	if file, ok := c.InOrStdin().(*os.File); ok && terminal(file) {
		return file
	}
	return nil
}

// hidden asks for a secret without showing it; without a terminal it is the first line of
// the standard input.
func (p *program) hidden(c *cobra.Command, what string) (string, error) {
	if file := typist(c); file != nil {
		_, _ = fmt.Fprintf(p.errOut, "%s: ", what)
		raw, err := term.ReadPassword(int(file.Fd()))
		_, _ = fmt.Fprintln(p.errOut)
		return string(raw), err
	}
	line, err := firstLine(c.InOrStdin())
	if err == nil && line == "" {
		err = misconfigured{errors.New(what + " is asked for, and the standard input is empty")}
	}
	return line, err
}

// chosen asks for a new secret; twice where nobody sees what is typed.
func (p *program) chosen(c *cobra.Command, what string) (string, error) {
	first, err := p.hidden(c, what)
	if err != nil || typist(c) == nil {
		return first, err
	}
	again, err := p.hidden(c, "Once more")
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

// sure asks before something is lost, unless --yes was given.
func (p *program) sure(c *cobra.Command, yes bool, what string) error {
	if yes {
		return nil
	}
	file := typist(c)
	if file == nil {
		return misconfigured{fmt.Errorf("%s: give --yes where nobody can be asked", what)}
	}
	_, _ = fmt.Fprintf(p.errOut, "%s? Only yes is taken: ", what)
	answer, err := bufio.NewReader(io.LimitReader(file, 64)).ReadString('\n')
	if err == nil && strings.TrimSpace(answer) != "yes" {
		err = errors.New("nothing was changed")
	}
	return err
}
