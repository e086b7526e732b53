package statefile

import "encoding/json"

// typeWords maps the constructor of a cty type to the word documents show as
// `type` and `output-type`. The words are those of JSON's types: the public
// documentation has "string" and, for a tuple, "array"; recorded answers have
// "number"; Terraform's own test double has "object" and, for a list, "array".
// "boolean" for a bool, "array" for a set and "object" for a map follow the
// same rule but were not seen.
var typeWords = map[string]string{
	"string": "string",
	"number": "number",
	"bool":   "boolean",
	"list":   "array",
	"set":    "array",
	"tuple":  "array",
	"map":    "object",
	"object": "object",
}

// TypeWord is the simple word for the output's type: string, number, boolean,
// array, object or null. Where the type is missing or dynamic the value says.
func (o Output) TypeWord() string {
	if word, ok := typeWords[o.constructor()]; ok {
		return word
	}
	return valueWord(o.Value)
}

// constructor is the name of the type: the string itself, or the first item
// of a list.
func (o Output) constructor() string {
	if len(o.Type) == 0 {
		return ""
	}
	var name string
	if o.Type[0] == '"' {
		_ = json.Unmarshal(o.Type, &name) // what is no string has no name
		return name
	}
	var parts []json.RawMessage
	if json.Unmarshal(o.Type, &parts) != nil || len(parts) == 0 {
		return ""
	}
	_ = json.Unmarshal(parts[0], &name)
	return name
}

func valueWord(value json.RawMessage) string {
	if len(value) == 0 {
		return "null"
	}
	switch value[0] {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case '[':
		return "array"
	case '{':
		return "object"
	case 'n':
		return "null"
	}
	return "number"
}
