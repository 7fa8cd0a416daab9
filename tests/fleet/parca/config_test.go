// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package parca holds the example for Parca to Parca's own reader of configurations.
package parca

import (
	"reflect"
	"testing"

	"github.com/parca-dev/parca/pkg/config"
)

const example = "../../../examples/fleet/parca.yaml"

func TestConfiguration(t *testing.T) {
	read, err := config.LoadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Validate(); err != nil {
		t.Error(err)
	}
	if len(read.ScrapeConfigs) != 1 {
		t.Fatalf("%d scrape configurations", len(read.ScrapeConfigs))
	}
	// Parca adds what is not named, so that each profile that a JVM lacks has to be switched off.
	for name, profile := range read.ScrapeConfigs[0].ProfilingConfig.PprofConfig {
		if *profile.Enabled != (name == "memory") {
			t.Errorf("%s is enabled: %t", name, *profile.Enabled)
		}
	}
	memory := read.ScrapeConfigs[0].ProfilingConfig.PprofConfig["memory"]
	if memory.Path != "/debug/pprof/allocs" || memory.Delta {
		t.Errorf("memory is %+v", memory)
	}
	kept := []config.SampleType{{Type: "inuse_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}}
	if !reflect.DeepEqual(memory.KeepSampleType, kept) {
		t.Errorf("kept are %v", memory.KeepSampleType)
	}
}

func TestWhatParcaDoesNotKnowIsRefused(t *testing.T) {
	if _, err := config.Load("scrape_configs: [{job_name: heap, profiling: {}}]"); err == nil {
		t.Error("an unknown key is taken")
	}
}
