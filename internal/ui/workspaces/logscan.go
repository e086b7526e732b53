package workspaces

import (
	"bytes"
	"context"
	"html/template"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// The most of a log that a page reads, how many lines of it are shown at once, and how many that were found.
const (
	largestLog = 64 << 20 // where somebody looks for something in it
	firstLog   = 8 << 20  // of what a page shows by itself, which is read again while it grows
	mostLines  = 2000
	mostFound  = 200
	pieceSize  = 1 << 20

	mostIssues     = 20  // errors and warnings that are told of above a log
	longestSubject = 160 // letters of one
)

// logScan takes a log as it comes, and keeps the lines that are asked for: a log of a million
// lines takes no more room than those that are shown.
type logScan struct {
	from   int    // the first line that is shown; 0: the last lines are
	lit    lines  // that stand out
	find   string // in small letters; empty: nothing is looked for
	line   func(string)
	times  []run.LogTime // of the line that is read and of those after it
	n      int           // lines so far
	found  int
	hits   []logLine
	issues []logIssue
	more   int // issues that are not kept
	kept   []keptLine
	rest   []byte // the beginning of a line whose end is still to come
	read   int64  // bytes that were taken
	begins int64  // where the line begins that is read
	colour painter
}

// keptLine is a line that may be shown, and the colours that were in force where it begins.
type keptLine struct {
	n    int
	text string
	on   painter
	came time.Time
}

// logLine is a line of a log, counted from 1.
type logLine struct {
	N    int
	Text template.HTML
	Lit  bool      // the address asks for it
	Came time.Time // zero: it came with the one before, or nobody knows when
}

// logIssue is a line of a log in which an engine begins to tell of something wrong.
type logIssue struct {
	N             int
	Class, Icon   string
	Kind, Subject string
}

// take goes on with the bytes that follow.
func (s *logScan) take(data []byte) {
	s.read += int64(len(data))
	data = bytes.TrimLeft(data, "\x02\x03")
	at := s.read - int64(len(data))
	if len(s.rest) == 0 {
		s.begins = at
	}
	data = bytes.TrimRight(data, "\x02\x03")
	for {
		line, rest, ended := bytes.Cut(data, []byte{'\n'})
		if !ended {
			s.rest = append(s.rest, line...)
			return
		}
		s.add(string(append(s.rest, line...)))
		at += int64(len(line)) + 1
		s.rest, data, s.begins = s.rest[:0], rest, at
	}
}

// end takes what is left as a line of its own.
func (s *logScan) end() {
	if len(s.rest) > 0 {
		s.add(string(s.rest))
		s.rest = nil
	}
}

func (s *logScan) add(line string) {
	line = strings.TrimSuffix(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:] // what was written last over the rest
	s.n++
	before := s.colour
	if strings.ContainsRune(line, 0x1b) {
		s.colour.line(line)
	}
	if s.line != nil {
		s.line(line)
	}
	if issue := issueOf(line); issue.Kind != "" {
		if issue.N = s.n; len(s.issues) < mostIssues {
			s.issues = append(s.issues, issue)
		} else {
			s.more++
		}
	}
	came := s.came()
	if s.find != "" && strings.Contains(strings.ToLower(bare(line)), s.find) {
		if s.found++; s.found <= mostFound {
			s.hits = append(s.hits, logLine{N: s.n, Text: before.line(line), Came: came})
		}
	}
	if s.from > 0 && (s.n < s.from || s.n >= s.from+mostLines) {
		return
	}
	if s.kept = append(s.kept, keptLine{s.n, line, before, came}); len(s.kept) >= 2*mostLines {
		s.kept = append([]keptLine(nil), s.kept[mostLines:]...)
	}
}

// lines is what is shown.
func (s *logScan) lines() []logLine {
	kept := s.kept[max(0, len(s.kept)-mostLines):]
	list := make([]logLine, len(kept))
	for i, k := range kept {
		list[i] = logLine{N: k.n, Text: k.on.line(k.text), Lit: s.lit.has(k.n)}
		if i == 0 || k.came.Unix() != kept[i-1].came.Unix() {
			list[i].Came = k.came
		}
	}
	return list
}

// came is when the line came that is read.
func (s *logScan) came() time.Time {
	for len(s.times) > 1 && s.times[1].At <= s.begins {
		s.times = s.times[1:]
	}
	if len(s.times) == 0 || s.times[0].At > s.begins {
		return time.Time{}
	}
	return s.times[0].Came
}

// issueOf is the error or the warning that begins in a line; none has no kind. Engines draw a rope
// beside what they tell.
func issueOf(line string) logIssue {
	if !strings.Contains(line, "Error: ") && !strings.Contains(line, "Warning: ") && !strings.Contains(line, "panic: ") {
		return logIssue{}
	}
	text := strings.TrimLeft(bare(line), " │|")
	for _, kind := range []struct{ begins, class, icon, name string }{
		{"Error: ", "bad", "alert", "Error"}, {"Warning: ", "warn", "alert", "Warning"}, {"panic: ", "bad", "alert", "Crash"},
	} {
		if subject, is := strings.CutPrefix(text, kind.begins); is {
			return logIssue{Class: kind.class, Icon: kind.icon, Kind: kind.name, Subject: frame.Cut(subject, longestSubject)}
		}
	}
	return logIssue{}
}

// pieces reads bytes of a log, and says whether nothing comes after them.
type pieces func(ctx context.Context, id string, offset, limit int64) (data []byte, ended bool, err error)

// readLog hands a log on from a place to another, piece by piece, and says how far it came.
func readLog(ctx context.Context, piece pieces, id string, from, to int64, take func([]byte)) (came int64, ended bool, err error) {
	for came = from; came < to && !ended; {
		var data []byte
		data, ended, err = piece(ctx, id, came, pieceSize)
		if err != nil || len(data) == 0 {
			return came, ended, err
		}
		take(data)
		came += int64(len(data))
	}
	return came, ended, nil
}
