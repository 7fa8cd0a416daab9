// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package fleet

import (
	"os"
	"testing"

	"github.com/grafana/alloy/syntax/ast"
	"github.com/grafana/alloy/syntax/parser"
	"github.com/grafana/alloy/syntax/vm"
)

// What the example uses of Alloy's components, under the names that they have in Alloy 1.10. Whatever else
// is in the example is refused.
type (
	alloyProfile struct {
		Enabled bool `alloy:"enabled,attr"`
	}
	alloyScrape struct {
		Targets   []map[string]string `alloy:"targets,attr"`
		ForwardTo []string            `alloy:"forward_to,attr"`
		Params    map[string][]string `alloy:"params,attr,optional"`
		Profiling struct {
			Memory     alloyProfile `alloy:"profile.memory,block"`
			Block      alloyProfile `alloy:"profile.block,block"`
			Goroutine  alloyProfile `alloy:"profile.goroutine,block"`
			Mutex      alloyProfile `alloy:"profile.mutex,block"`
			ProcessCPU alloyProfile `alloy:"profile.process_cpu,block"`
		} `alloy:"profiling_config,block"`
	}
	alloyWrite struct {
		Endpoint struct {
			URL string `alloy:"url,attr"`
		} `alloy:"endpoint,block"`
	}
)

// The example for Grafana Alloy, read by Alloy's own parser and evaluator.
func TestExampleForAlloy(t *testing.T) {
	const name = "../../examples/fleet/config.alloy"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(name, text)
	if err != nil {
		t.Fatal(err)
	}
	var scrape alloyScrape
	var write alloyWrite
	arguments := map[string]any{"pyroscope.scrape": &scrape, "pyroscope.write": &write}
	receiver := map[string]any{"pyroscope": map[string]any{"receiver": "to Pyroscope"}}
	scope := &vm.Scope{Variables: map[string]any{"pyroscope": map[string]any{"write": receiver}}}
	for _, statement := range file.Body {
		block := statement.(*ast.BlockStmt)
		into := arguments[block.GetBlockName()]
		if into == nil {
			t.Fatalf("%s is no block of the example, or there twice", block.GetBlockName())
		}
		if err := vm.New(block.Body).Evaluate(scope, into); err != nil {
			t.Errorf("%s: %v", block.GetBlockName(), err)
		}
		delete(arguments, block.GetBlockName())
	}
	if len(arguments) != 0 {
		t.Errorf("missing are %v", arguments)
	}
	if len(scrape.Targets) != 1 || scrape.Targets[0]["service_name"] == "" || scrape.Targets[0]["__address__"] == "" {
		t.Errorf("targets %v", scrape.Targets)
	}
	if len(scrape.ForwardTo) != 1 || scrape.ForwardTo[0] != "to Pyroscope" || write.Endpoint.URL == "" {
		t.Errorf("to %v, %v", scrape.ForwardTo, write)
	}
	if labels := scrape.Params["labels"]; len(labels) != 1 || labels[0] != "0" {
		t.Errorf("parameters %v", scrape.Params)
	}
	// Alloy requests profiles that are not named, so each profile that a JVM lacks has to be switched off.
	p := scrape.Profiling
	if !p.Memory.Enabled || p.Block.Enabled || p.Goroutine.Enabled || p.Mutex.Enabled || p.ProcessCPU.Enabled {
		t.Errorf("profiles %+v", p)
	}
}
