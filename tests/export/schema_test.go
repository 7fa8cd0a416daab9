// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package export

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What speedscope's own schema says of what was exported for it.
func TestSpeedscopeIsAsItsSchemaSays(t *testing.T) {
	const url = "https://www.speedscope.app/file-format-schema.json"
	schema := read(t, os.Getenv("SPEEDSCOPE_SCHEMA"))
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(url)
	if err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(folder(t), "*.speedscope.json"))
	if len(names) == 0 {
		t.Fatal("nothing was exported for speedscope")
	}
	for _, name := range names {
		document := read(t, name)
		if err := compiled.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		document.(map[string]any)["profiles"] = "none"
		if compiled.Validate(document) == nil {
			t.Error("the schema takes anything")
		}
	}
}

func read(t *testing.T, name string) any {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	return document
}
