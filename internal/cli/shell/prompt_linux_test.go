package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// asks is what was asked; each question is handed on to who types.
type asks struct {
	bytes.Buffer
	questions chan struct{}
}

func (a *asks) Write(b []byte) (int, error) {
	if bytes.HasSuffix(b, []byte(": ")) {
		a.questions <- struct{}{}
	}
	return a.Buffer.Write(b)
}

// typing is a terminal at which somebody types a line for each question, a secret once the
// terminal shows no more what is typed. shown is what it showed of that.
func typing(t *testing.T, questions <-chan struct{}, secret bool, lines ...string) (at *os.File, shown func() string) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if at, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	screen := &bytes.Buffer{}
	read := make(chan struct{})
	go func() {
		_, _ = io.Copy(screen, keyboard) // ends with the terminal
		close(read)
	}()
	go func() {
		for _, line := range lines {
			<-questions
			for secret && echoes(keyboard) {
				time.Sleep(time.Millisecond)
			}
			_, _ = keyboard.WriteString(line + "\n")
		}
	}()
	return at, func() string {
		_ = at.Close()
		<-read
		return screen.String()
	}
}

// echoes says whether a terminal shows what is typed.
func echoes(terminal *os.File) bool {
	is, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	return err == nil && is.Lflag&unix.ECHO != 0
}

func TestWhatIsAskedAtATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		typed      []string
		ask        func(p *Program, c *cobra.Command) (string, error)
		want, fail string
		shows      bool
	}{
		{"a secret", []string{" with blanks "}, func(p *Program, c *cobra.Command) (string, error) { return p.Hidden(c, "Token") }, " with blanks ", "", false},
		{"a new one", []string{"correct horse", "correct horse"}, func(p *Program, c *cobra.Command) (string, error) { return p.Chosen(c, "Password") }, "correct horse", "", false},
		{"two that differ", []string{"correct horse", "correct house"}, func(p *Program, c *cobra.Command) (string, error) { return p.Chosen(c, "Password") }, "", "differ", false},
		{"yes", []string{"yes"}, func(p *Program, c *cobra.Command) (string, error) { return "", p.Sure(c, false, "Delete it") }, "", "", true},
		{"no", []string{"y"}, func(p *Program, c *cobra.Command) (string, error) { return "", p.Sure(c, false, "Delete it") }, "", "nothing was changed", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			command, asks := &cobra.Command{}, &asks{questions: make(chan struct{}, len(c.typed))}
			at, shown := typing(t, asks.questions, !c.shows, c.typed...)
			command.SetIn(at)
			got, err := c.ask(&Program{In: at, ErrOut: asks}, command)
			if screen := shown(); strings.Contains(screen, c.typed[0]) != c.shows {
				t.Errorf("the screen showed %q", screen)
			}
			if c.fail == "" && (err != nil || got != c.want) || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
				t.Errorf("%q %v", got, err)
			}
			if asks.Len() == 0 {
				t.Error("nobody was asked")
			}
		})
	}
}
