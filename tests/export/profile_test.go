// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package export reads with Go's own libraries what HeapSampler has exported.
package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

var sampleTypes = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}

// folder is where tests/export/run has put what was exported.
func folder(t *testing.T) string {
	t.Helper()
	found := os.Getenv("HEAPSAMPLER_EXPORTS")
	if found == "" {
		t.Fatal("HEAPSAMPLER_EXPORTS is not set; run tests/export/run")
	}
	return found
}

func parse(t *testing.T, name string) *profile.Profile {
	t.Helper()
	file, err := os.Open(filepath.Join(folder(t), name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	parsed, err := profile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func profiles(t *testing.T) map[string]*profile.Profile {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder(t), "*.pb.gz"))
	if err != nil || len(names) < 3 {
		t.Fatalf("want three profiles or more, have %v, %v", names, err)
	}
	all := map[string]*profile.Profile{}
	for _, name := range names {
		all[filepath.Base(name)] = parse(t, filepath.Base(name))
	}
	return all
}

func sum(p *profile.Profile, index int) int64 {
	var total int64
	for _, sample := range p.Sample {
		total += sample.Value[index]
	}
	return total
}

func TestIsValidAndHasGosFigures(t *testing.T) {
	for name, p := range profiles(t) {
		if err := p.CheckValid(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var types []string
		for _, each := range p.SampleType {
			types = append(types, each.Type)
		}
		if strings.Join(types, " ") != strings.Join(sampleTypes, " ") {
			t.Errorf("%s: sample types %v", name, types)
		}
		if p.PeriodType.Type != "space" || p.PeriodType.Unit != "bytes" || p.Period <= 0 {
			t.Errorf("%s: period %d %v", name, p.Period, p.PeriodType)
		}
		if p.TimeNanos == 0 || p.DurationNanos == 0 {
			t.Errorf("%s: time %d, duration %d", name, p.TimeNanos, p.DurationNanos)
		}
	}
}

func TestFramesHaveNamesFilesAndLines(t *testing.T) {
	lines, starts, systemNames := 0, 0, 0
	for _, location := range parse(t, "lines.pb.gz").Location {
		line := location.Line[0]
		if !location.Mapping.HasFunctions || line.Function.Name == "" {
			t.Errorf("location %d has no function", location.ID)
		}
		if line.Line > 0 && line.Function.Filename != "" {
			lines++
		}
		if line.Function.StartLine > 0 && line.Function.StartLine <= line.Line {
			starts++
		}
		if strings.Contains(line.Function.SystemName, ")") {
			systemNames++
		}
	}
	if lines == 0 || starts == 0 || systemNames == 0 {
		t.Errorf("%d lines, %d start lines, %d system names", lines, starts, systemNames)
	}
}

// Labels that receivers compare by: allocations have no thread and no age.
func TestLabels(t *testing.T) {
	live := 0
	for _, sample := range parse(t, "lines.pb.gz").Sample {
		if len(sample.Label["class"]) != 1 || len(sample.NumLabel["bytes"]) != 1 {
			t.Fatalf("labels %v %v", sample.Label, sample.NumLabel)
		}
		if sample.NumUnit["bytes"][0] != "bytes" {
			t.Fatalf("unit %v", sample.NumUnit)
		}
		if sample.Value[3] > 0 {
			live++
			if len(sample.Label["thread"]) != 1 {
				t.Errorf("live without a thread: %v", sample.Label)
			}
			if age := sample.NumUnit["age"]; len(age) == 1 && age[0] != "milliseconds" {
				t.Errorf("age in %v", age)
			}
		} else if len(sample.Label["thread"]) > 0 || len(sample.NumLabel["age"]) > 0 {
			t.Errorf("allocated by thread or age: %v %v", sample.Label, sample.NumLabel)
		}
	}
	if live == 0 {
		t.Error("nothing is live")
	}
}

// Labels of the application: keys and values as they are, and no change of the sums.
func TestOwnLabels(t *testing.T) {
	by := func(p *profile.Profile, key string) map[string]int64 {
		sums := map[string]int64{}
		for _, sample := range p.Sample {
			if len(sample.Label[key]) > 1 {
				t.Errorf("labels %v", sample.Label)
			}
			sums[strings.Join(sample.Label[key], "")] += sample.Value[0]
		}
		return sums
	}
	all, one := parse(t, "labels/all.pb.gz"), parse(t, "labels/endpoint.pb.gz")
	if sums := by(all, "endpoint"); sums["GET /orders"] != 4 || sums["GET /carts"] != 2 || sums[""] != 9 {
		t.Errorf("by endpoint %v", sums)
	}
	if sums := by(all, "label_class"); sums["gold"] != 6 {
		t.Errorf("by a key that clashes %v", sums)
	}
	if sums := by(all, "labels"); sums["(other)"] != 8 {
		t.Errorf("without room %v", sums)
	}
	if sums := by(one, "endpoint"); sums["GET /orders"] != 4 || sums["(other)"] != 8 || sums[""] != 1 {
		t.Errorf("alone, by endpoint %v", sums)
	}
	for _, sample := range one.Sample {
		if len(sample.Label) > 1 || len(sample.NumLabel) > 0 || sample.Location[0].Line[0].Function.Name != "byte[]" {
			t.Errorf("labels %v %v at %v", sample.Label, sample.NumLabel, sample.Location[0].Line)
		}
	}
	if sum(all, 0) != 15 || sum(one, 0) != 15 {
		t.Errorf("sums %d and %d", sum(all, 0), sum(one, 0))
	}
}

// Two of the same make twice as much, and their difference is nothing.
func TestMerges(t *testing.T) {
	p := parse(t, "lines.pb.gz")
	twice, err := profile.Merge([]*profile.Profile{p, p})
	if err != nil {
		t.Fatal(err)
	}
	minus := p.Copy()
	minus.Scale(-1)
	nothing, err := profile.Merge([]*profile.Profile{p, minus})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range sampleTypes {
		if sum(p, i) == 0 || sum(twice, i) != 2*sum(p, i) || sum(nothing, i) != 0 {
			t.Errorf("%s: %d, twice %d, minus itself %d", name, sum(p, i), sum(twice, i), sum(nothing, i))
		}
	}
	if len(twice.Sample) != len(p.Sample) {
		t.Errorf("%d samples became %d", len(p.Sample), len(twice.Sample))
	}
}

// Snapshots of different programs have the same figures, and so merge.
func TestMergesAcrossPrograms(t *testing.T) {
	var all []*profile.Profile
	var want int64
	for _, p := range profiles(t) {
		all = append(all, p)
		want += sum(p, 1)
	}
	merged, err := profile.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	if sum(merged, 1) != want {
		t.Errorf("have %d bytes, want %d", sum(merged, 1), want)
	}
}

// What diff writes is what -diff_base would find.
func TestDeltaIsTheDifference(t *testing.T) {
	delta, earlier, later := parse(t, "delta.pb.gz"), parse(t, "small.pb.gz"), parse(t, "lines.pb.gz")
	for i, name := range sampleTypes {
		off := sum(delta, i) - (sum(later, i) - sum(earlier, i))
		rounding := int64(len(delta.Sample) + len(later.Sample) + len(earlier.Sample))
		if off < -rounding || off > rounding {
			t.Errorf("%s is off by %d", name, off)
		}
	}
}
