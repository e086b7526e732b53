package logtext

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
	Largest   = 64 << 20 // where somebody looks for something in it
	First     = 8 << 20  // of what a page shows by itself, which is read again while it grows
	MostLines = 2000
	mostFound = 200
	pieceSize = 1 << 20

	mostIssues     = 20  // errors and warnings that are told of above a log
	longestSubject = 160 // letters of one
)

// Scan takes a log as it comes, and keeps the lines that are asked for: a log of a million
// lines takes no more room than those that are shown.
type Scan struct {
	From   int    // the first line that is shown; 0: the last lines are
	Lit    Range  // that stand out
	Find   string // in small letters; empty: nothing is looked for
	Line   func(line string, came time.Time)
	Times  []run.LogTime // of the line that is read and of those after it
	N      int           // lines so far
	Found  int
	Hits   []Line
	Issues []Issue
	More   int // issues that are not kept
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

// Line is a line of a log, counted from 1.
type Line struct {
	N    int
	Text template.HTML
	Lit  bool      // the address asks for it
	Came time.Time // zero: it came with the one before, or nobody knows when
}

// Issue is a line of a log in which an engine begins to tell of something wrong.
type Issue struct {
	N             int
	Class, Icon   string
	Kind, Subject string
}

// Take goes on with the bytes that follow.
func (s *Scan) Take(data []byte) {
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

// End takes what is left as a line of its own.
func (s *Scan) End() {
	if len(s.rest) > 0 {
		s.add(string(s.rest))
		s.rest = nil
	}
}

func (s *Scan) add(line string) {
	line = strings.TrimSuffix(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:] // what was written last over the rest
	s.N++
	before := s.colour
	if strings.ContainsRune(line, 0x1b) {
		s.colour.line(line)
	}
	came := s.came()
	if s.Line != nil {
		s.Line(line, came)
	}
	if issue := issueOf(line); issue.Kind != "" {
		if issue.N = s.N; len(s.Issues) < mostIssues {
			s.Issues = append(s.Issues, issue)
		} else {
			s.More++
		}
	}
	if s.Find != "" && strings.Contains(strings.ToLower(Bare(line)), s.Find) {
		if s.Found++; s.Found <= mostFound {
			s.Hits = append(s.Hits, Line{N: s.N, Text: before.line(line), Came: came})
		}
	}
	if s.From > 0 && (s.N < s.From || s.N >= s.From+MostLines) {
		return
	}
	if s.kept = append(s.kept, keptLine{s.N, line, before, came}); len(s.kept) >= 2*MostLines {
		s.kept = append([]keptLine(nil), s.kept[MostLines:]...)
	}
}

// Lines is what is shown.
func (s *Scan) Lines() []Line {
	kept := s.kept[max(0, len(s.kept)-MostLines):]
	list := make([]Line, len(kept))
	for i, k := range kept {
		list[i] = Line{N: k.n, Text: k.on.line(k.text), Lit: s.Lit.has(k.n)}
		if i == 0 || k.came.Unix() != kept[i-1].came.Unix() {
			list[i].Came = k.came
		}
	}
	return list
}

// came is when the line came that is read.
func (s *Scan) came() time.Time {
	for len(s.Times) > 1 && s.Times[1].At <= s.begins {
		s.Times = s.Times[1:]
	}
	if len(s.Times) == 0 || s.Times[0].At > s.begins {
		return time.Time{}
	}
	return s.Times[0].Came
}

// issueOf is the error or the warning that begins in a line; none has no kind. Engines draw a rope
// beside what they tell.
func issueOf(line string) Issue {
	if !strings.Contains(line, "Error: ") && !strings.Contains(line, "Warning: ") && !strings.Contains(line, "panic: ") {
		return Issue{}
	}
	text := strings.TrimLeft(Bare(line), " │|")
	for _, kind := range []struct{ begins, class, icon, name string }{
		{"Error: ", "bad", "alert", "Error"}, {"Warning: ", "warn", "alert", "Warning"}, {"panic: ", "bad", "alert", "Crash"},
	} {
		if subject, is := strings.CutPrefix(text, kind.begins); is {
			return Issue{Class: kind.class, Icon: kind.icon, Kind: kind.name, Subject: frame.Cut(subject, longestSubject)}
		}
	}
	return Issue{}
}

// Pieces reads bytes of a log, and says whether nothing comes after them.
type Pieces func(ctx context.Context, id string, offset, limit int64) (data []byte, ended bool, err error)

// Read hands a log on from a place to another, piece by piece, and says how far it came.
func Read(ctx context.Context, piece Pieces, id string, from, to int64, take func([]byte)) (came int64, ended bool, err error) {
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
