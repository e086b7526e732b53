package jsonapi

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Timestamp is the layout of every time on the wire: UTC with milliseconds.
const Timestamp = "2006-01-02T15:04:05.000Z"

// Append writes the document to buf.
func (d *Document) Append(buf []byte) []byte { return d.AppendResting(buf, func() {}) }

// AppendResting is Append with rests: after each resource of a list it calls rest.
func (d *Document) AppendResting(buf []byte, rest func()) []byte {
	buf = append(buf, `{"data":`...)
	buf = appendData(buf, d.Data, rest)
	if d.Included != nil {
		buf = append(buf, `,"included":`...)
		buf = appendResources(buf, d.Included, rest)
	}
	buf = appendMember(buf, "links", d.Links)
	buf = appendMember(buf, "meta", d.Meta)
	return append(buf, '}')
}

// Append writes the object to buf, for answers that are no documents.
func (o Object) Append(buf []byte) []byte { return appendObject(buf, o) }

// AppendErrors writes the document of an error answer to buf.
func AppendErrors(buf []byte, errs []Error) []byte {
	buf = append(buf, `{"errors":[`...)
	for i, e := range errs {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = e.append(buf)
	}
	return append(buf, `]}`...)
}

func (e Error) append(buf []byte) []byte {
	object := Object{{"status", strconv.Itoa(e.Status)}, {"title", e.Title}}
	if e.Detail != "" {
		object = append(object, Member{"detail", e.Detail})
	}
	if e.Pointer != "" {
		object = append(object, Member{"source", Object{{"pointer", e.Pointer}}})
	}
	if len(e.Meta) > 0 {
		object = append(object, Member{"meta", e.Meta})
	}
	return appendObject(buf, object)
}

func appendData(buf []byte, data any, rest func()) []byte {
	switch v := data.(type) {
	case *Resource:
		return v.append(buf)
	case []*Resource:
		return appendResources(buf, v, rest)
	default:
		return append(buf, `null`...)
	}
}

func appendResources(buf []byte, list []*Resource, rest func()) []byte {
	buf = append(buf, '[')
	for i, r := range list {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = r.append(buf)
		rest()
	}
	return append(buf, ']')
}

func (r *Resource) append(buf []byte) []byte {
	buf = append(buf, `{"id":`...)
	buf = appendString(buf, r.ID)
	buf = append(buf, `,"type":`...)
	buf = appendString(buf, r.Type)
	if r.Attributes != nil {
		buf = append(buf, `,"attributes":`...)
		buf = appendObject(buf, r.Attributes)
	}
	if len(r.Relationships) > 0 {
		buf = append(buf, `,"relationships":{`...)
		for i := range r.Relationships {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = r.Relationships[i].append(buf)
		}
		buf = append(buf, '}')
	}
	buf = appendMember(buf, "links", r.Links)
	return append(buf, '}')
}

func (r *Relation) append(buf []byte) []byte {
	buf = appendString(buf, r.Name)
	buf = append(buf, ':', '{')
	comma := false
	if r.Data != nil {
		buf = append(buf, `"data":`...)
		buf = appendValue(buf, r.Data)
		comma = true
	}
	if r.Related != "" {
		if comma {
			buf = append(buf, ',')
		}
		buf = append(buf, `"links":{"related":`...)
		buf = appendString(buf, r.Related)
		buf = append(buf, '}')
		comma = true
	}
	if len(r.Meta) > 0 {
		if comma {
			buf = append(buf, ',')
		}
		buf = append(buf, `"meta":`...)
		buf = appendObject(buf, r.Meta)
	}
	return append(buf, '}')
}

// appendMember writes ,"name":{…} and nothing for an empty object.
func appendMember(buf []byte, name string, object Object) []byte {
	if len(object) == 0 {
		return buf
	}
	buf = append(buf, ',')
	buf = appendString(buf, name)
	buf = append(buf, ':')
	return appendObject(buf, object)
}

func appendObject(buf []byte, object Object) []byte {
	buf = append(buf, '{')
	for i := range object {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendString(buf, object[i].Name)
		buf = append(buf, ':')
		buf = appendValue(buf, object[i].Value)
	}
	return append(buf, '}')
}

// appendValue writes the kinds that documents are made of without reflection, and
// hands anything else to encoding/json.
func appendValue(buf []byte, value any) []byte {
	switch v := value.(type) {
	case nil, Null:
		return append(buf, `null`...)
	case string:
		return appendString(buf, v)
	case bool:
		return strconv.AppendBool(buf, v)
	case int:
		return strconv.AppendInt(buf, int64(v), 10)
	case int64:
		return strconv.AppendInt(buf, v, 10)
	case time.Time:
		return appendTime(buf, v)
	case Object:
		return appendObject(buf, v)
	case json.RawMessage:
		return append(buf, v...)
	default:
		return appendList(buf, value)
	}
}

func appendList(buf []byte, value any) []byte {
	switch v := value.(type) {
	case []string:
		return appendEach(buf, v, appendString)
	case []Object:
		return appendEach(buf, v, appendObject)
	case Ref:
		return appendRef(buf, v)
	case []Ref:
		return appendEach(buf, v, appendRef)
	case float64:
		return appendFloat(buf, v)
	default:
		raw, err := json.Marshal(v)
		if err != nil { // a value that JSON has no word for: a programming error, kept visible
			return append(buf, `null`...)
		}
		return append(buf, raw...)
	}
}

func appendEach[T any](buf []byte, list []T, one func([]byte, T) []byte) []byte {
	buf = append(buf, '[')
	for i, v := range list {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = one(buf, v)
	}
	return append(buf, ']')
}

func appendRef(buf []byte, ref Ref) []byte {
	buf = append(buf, `{"id":`...)
	buf = appendString(buf, ref.ID)
	buf = append(buf, `,"type":`...)
	buf = appendString(buf, ref.Type)
	return append(buf, '}')
}

// appendTime writes null for the zero time: a moment that has not come.
func appendTime(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(buf, `null`...)
	}
	buf = append(buf, '"')
	buf = t.UTC().AppendFormat(buf, Timestamp)
	return append(buf, '"')
}

func appendFloat(buf []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(buf, `null`...)
	}
	return strconv.AppendFloat(buf, f, 'f', -1, 64)
}

// appendString writes plain ASCII itself and leaves the rest to encoding/json.
func appendString(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(buf, s)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}

func appendEscaped(buf []byte, s string) []byte {
	var escaped bytes.Buffer
	encoder := json.NewEncoder(&escaped)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // cannot fail for a string
	return append(buf, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
}
