// Reads a JSON list of {"name", "text"} from standard input and prints, for each, the JSON that sigs.k8s.io/yaml makes of the text:
// the reader that kubectl uses. Run by hand when a row is added:
//
//	cd test/unit/desired/go-yaml && go run . < cases.json > golden.json
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type sample struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type reading struct {
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value,omitempty"`
	Refused bool            `json:"refused,omitempty"`
}

func main() {
	var samples []sample
	if err := json.NewDecoder(os.Stdin).Decode(&samples); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	readings := make([]reading, 0, len(samples))
	for _, s := range samples {
		value, err := yaml.YAMLToJSON([]byte(s.Text))
		readings = append(readings, reading{Name: s.Name, Value: value, Refused: err != nil})
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(readings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
