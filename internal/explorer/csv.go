package explorer

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// AppendHead appends the names of the query's fields as the first line of a CSV file.
func (q Query) AppendHead(line []byte) []byte {
	for i, f := range q.Fields {
		line = append(appendComma(line, i), f.Name...)
	}
	return append(line, '\n')
}

// AppendRow appends a row as a line of a CSV file. Every value stands in quotes; one that
// is missing is empty, and a moment is written in the layout.
func AppendRow(line []byte, row Row, layout string) []byte {
	for i, value := range row.Values {
		line = appendCell(appendComma(line, i), value, layout)
	}
	return append(line, '\n')
}

func appendComma(line []byte, i int) []byte {
	if i == 0 {
		return line
	}
	return append(line, ',')
}

// formula is what spreadsheets take for the beginning of one.
const formula = "=+-@\t\r\n＝＋－＠"

// appendCell writes a value in quotes. A text that a spreadsheet would compute gets a '
// before it.
func appendCell(line []byte, value any, layout string) []byte {
	line = append(line, '"')
	switch v := value.(type) {
	case string:
		if first, _ := utf8.DecodeRuneInString(v); v != "" && strings.ContainsRune(formula, first) {
			line = append(line, '\'')
		}
		line = append(line, strings.ReplaceAll(v, `"`, `""`)...)
	case int64:
		line = strconv.AppendInt(line, v, 10)
	case bool:
		line = strconv.AppendBool(line, v)
	case time.Time:
		line = v.AppendFormat(line, layout)
	}
	return append(line, '"')
}
