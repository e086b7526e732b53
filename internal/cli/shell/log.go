package shell

import (
	"fmt"
	"io"
	"log/slog"
)

// LogLevel is the level of a name that --log-level takes.
func LogLevel(name string) (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return level, fmt.Errorf("--log-level is debug, info, warn or error, not %q", name)
	}
	return level, nil
}

// CheckLog refuses what --log-format or --log-level does not take.
func CheckLog(format, level string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("--log-format is text or json, not %q", format)
	}
	_, err := LogLevel(level)
	return err
}

// NewLog is a log of lines, or of JSON.
func NewLog(w io.Writer, format, levelName string) *slog.Logger {
	level, _ := LogLevel(levelName) // checked before
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
