// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package parca reads the example for Parca with Parca's own package for its configuration. In a module of its
// own: Parca brings what Prometheus discovers targets with, and each cloud's storage.
package parca

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parca-dev/parca/pkg/config"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery"
)

const example = "../../../examples/fleet/parca.yaml"

func read(t *testing.T) *config.ScrapeConfig {
	t.Helper()
	all, err := config.LoadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(all.ScrapeConfigs) != 1 {
		t.Fatalf("%d jobs", len(all.ScrapeConfigs))
	}
	return all.ScrapeConfigs[0]
}

func TestTarget(t *testing.T) {
	job := read(t)
	if job.JobName != "heap" || job.Scheme != "http" || time.Duration(job.ScrapeInterval) != 10*time.Second ||
		job.ScrapeTimeout <= job.ScrapeInterval {
		t.Errorf("job %+v", job)
	}
	targets, ok := job.ServiceDiscoveryConfigs[0].(discovery.StaticConfig)
	if !ok || len(job.ServiceDiscoveryConfigs) != 1 || len(targets) != 1 || len(targets[0].Targets) != 1 {
		t.Fatalf("targets %v", job.ServiceDiscoveryConfigs)
	}
	if address := targets[0].Targets[0][model.AddressLabel]; address != "127.0.0.1:6060" {
		t.Errorf("address %s", address)
	}
	if service := targets[0].Labels["service"]; service != "shop" {
		t.Errorf("service %q", service)
	}
}

// Parca requests profiles that are not named, so each profile that a JVM lacks has to be switched off.
func TestProfiles(t *testing.T) {
	profiles := read(t).ProfilingConfig.PprofConfig
	on := []string{}
	for name, profile := range profiles {
		if *profile.Enabled {
			on = append(on, name)
		}
	}
	if len(profiles) != 5 || !slices.Equal(on, []string{"memory"}) {
		t.Errorf("of %d profiles, these are on: %v", len(profiles), on)
	}
	memory := profiles["memory"]
	live := []config.SampleType{{Type: "inuse_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}}
	if memory.Path != "/debug/pprof/allocs" || memory.Delta || !slices.Equal(memory.KeepSampleType, live) {
		t.Errorf("memory %+v", memory)
	}
}

// What Parca does not know it refuses, at each depth of the example.
func TestWrongKeyIsRefused(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"scrape_configs:", "scrape_interval:", "pprof_config:", "path:", "keep_sample_type:"} {
		wrong := "x_" + key
		_, err := config.Load(strings.Replace(string(text), key, wrong, 1))
		if err == nil || !strings.Contains(err.Error(), "field "+strings.TrimSuffix(wrong, ":")+" not found") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
