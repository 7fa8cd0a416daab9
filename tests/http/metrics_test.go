// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package http asks a running application as scrapers do, with Prometheus's and pprof's own
// libraries.
package http

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// get asks the application that tests/http/run has started.
func get(t *testing.T, path string) (http.Header, []byte) {
	t.Helper()
	base := os.Getenv("HEAPSAMPLER_URL")
	if base == "" {
		t.Fatal("HEAPSAMPLER_URL is not set; run tests/http/run")
	}
	response, err := http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %s, %v: %s", path, response.Status, err, body)
	}
	return response.Header, body
}

func metrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	header, body := get(t, "/debug/heapsampler/metrics")
	if format := expfmt.ResponseFormat(header); format.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("content type %q", header.Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func TestMetricsAreWhatPrometheusReads(t *testing.T) {
	families := metrics(t)
	for name, least := range map[string]float64{
		"heapsampler_running":                  1,
		"heapsampler_samples_total":            1,
		"heapsampler_allocated_bytes_total":    1e6,
		"heapsampler_live_bytes":               1e6,
		"heapsampler_native_memory_bytes":      1,
		"heapsampler_sample_cost_mean_seconds": 1e-9,
	} {
		family := families[name]
		if family == nil {
			t.Errorf("no %s", name)
			continue
		}
		metric := family.Metric[0]
		value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		if value < least {
			t.Errorf("%s is %g", name, value)
		}
	}
}

func TestMetricsAreBounded(t *testing.T) {
	series := 0
	for _, family := range metrics(t) {
		series += len(family.Metric)
	}
	if series > 100 {
		t.Errorf("%d series", series)
	}
	if classes := len(metrics(t)["heapsampler_class_live_bytes"].Metric); classes < 2 || classes > 21 {
		t.Errorf("%d classes", classes)
	}
}

// The largest classes change, so what adds up is not exported by class.
func TestClassesAreGaugesOfTheLivingOnly(t *testing.T) {
	for name, family := range metrics(t) {
		for _, label := range family.Metric[0].Label {
			if label.GetName() == "class" && name != "heapsampler_class_live_bytes" {
				t.Errorf("%s is by class", name)
			}
		}
	}
	if kind := metrics(t)["heapsampler_class_live_bytes"].GetType(); kind != dto.MetricType_GAUGE {
		t.Errorf("classes are of type %v", kind)
	}
}

// An alert on dropped samples must not go off when the sampler forgets the dead, as it always does.
func TestHarmlessDropsAreDistinguished(t *testing.T) {
	families := metrics(t)
	cause := func(family string) map[string]bool {
		causes := map[string]bool{}
		for _, metric := range families[family].GetMetric() {
			causes[metric.Label[0].GetValue()] = true
		}
		return causes
	}
	if !cause("heapsampler_harmless_drops_total")["dead_forgotten"] {
		t.Error("forgotten deaths are not among the harmless drops")
	}
	dropped := cause("heapsampler_dropped_samples_total")
	if dropped["dead_forgotten"] || dropped["own"] || !dropped["sites_full"] {
		t.Errorf("dropped samples by %v", dropped)
	}
}

func TestMetricsFollowTheConventions(t *testing.T) {
	_, body := get(t, "/debug/heapsampler/metrics")
	problems, err := promlint.New(bytes.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestProfilesAreValid(t *testing.T) {
	for path, file := range map[string]string{
		"/debug/pprof/heap":             "heap",
		"/debug/pprof/heap?gc=1":        "heap",
		"/debug/pprof/heap?seconds=1":   "heap-delta",
		"/debug/pprof/allocs":           "allocs",
		"/debug/pprof/allocs?seconds=1": "allocs-delta",
		"/debug/pprof/delta_heap":       "delta_heap",
		"/debug/pprof/heap?debug=1":     "",
	} {
		header, body := get(t, path)
		p, err := profile.ParseData(body)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := p.CheckValid(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if file != "" && header.Get("Content-Disposition") != `attachment; filename="`+file+`"` {
			t.Errorf("%s: %q", path, header.Get("Content-Disposition"))
		}
		if file != "" && len(p.SampleType) != 4 {
			t.Errorf("%s: %v", path, p.SampleType)
		}
		if strings.HasSuffix(file, "delta") && (p.DurationNanos < 1e9 || p.DurationNanos > 20e9) {
			t.Errorf("%s: %d ns", path, p.DurationNanos)
		}
	}
}

// For Pyroscope, which would make a series of each combination of labels.
func TestProfilesWithoutLabels(t *testing.T) {
	for _, path := range []string{"/debug/pprof/heap", "/debug/pprof/allocs", "/debug/pprof/delta_heap"} {
		_, body := get(t, path+"?labels=0")
		p, err := profile.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		leaves := map[string]int64{}
		for _, sample := range p.Sample {
			if len(sample.Label) != 0 || len(sample.NumLabel) != 0 {
				t.Fatalf("%s: labels %v %v", path, sample.Label, sample.NumLabel)
			}
			leaves[sample.Location[0].Line[0].Function.Name] += sample.Value[3]
		}
		if leaves["byte[]"] < 1e6 {
			t.Errorf("%s: live bytes by class: %v", path, leaves)
		}
	}
}

// For Pyroscope as well: the labels of one key only.
func TestProfilesWithOneLabel(t *testing.T) {
	for _, path := range []string{"/debug/pprof/heap", "/debug/pprof/allocs", "/debug/pprof/delta_heap"} {
		_, body := get(t, path+"?label=endpoint")
		p, err := profile.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		live := map[string]int64{}
		for _, sample := range p.Sample {
			endpoint := sample.Label["endpoint"]
			if len(sample.Label) != len(endpoint) || len(sample.NumLabel) != 0 {
				t.Fatalf("%s: labels %v %v", path, sample.Label, sample.NumLabel)
			}
			live[strings.Join(endpoint, "")] += sample.Value[3]
		}
		if live[`GET /"orders"`] < 1e7 {
			t.Errorf("%s: live bytes by endpoint: %v", path, live)
		}
	}
}

func TestMetricsByLabel(t *testing.T) {
	live := map[string]float64{}
	for _, metric := range metrics(t)["heapsampler_label_live_bytes"].GetMetric() {
		labels := map[string]string{}
		for _, label := range metric.Label {
			labels[label.GetName()] = label.GetValue()
		}
		if labels["key"] != "endpoint" {
			t.Errorf("labels %v", labels)
		}
		live[labels["value"]] = metric.GetGauge().GetValue()
	}
	_, none := live["(none)"]
	_, other := live["(other)"]
	if live[`GET /"orders"`] < 1e7 || !none || !other || len(live) != 3 {
		t.Errorf("live bytes by endpoint: %v", live)
	}
}

// A text that says so is not scaled a second time.
func TestTextAndProfileTellTheSame(t *testing.T) {
	// Of the types of both the last is the one of bytes that live.
	live := func(path string) float64 {
		_, body := get(t, path)
		p, err := profile.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		var total int64
		for _, sample := range p.Sample {
			total += sample.Value[len(p.SampleType)-1]
		}
		return float64(total)
	}
	// A collection during one of the requests confirms its own arrays: then the requests are repeated.
	var binary, text float64
	for try := 0; try < 5; try++ {
		binary = live("/debug/pprof/heap")
		text = live("/debug/pprof/heap?debug=1")
		if binary >= 1e6 && text >= 0.9*binary && text <= 1.1*binary {
			return
		}
	}
	t.Errorf("the profile says %g live bytes, the text %g", binary, text)
}

func TestDeltaHeapIsLessThanTheWhole(t *testing.T) {
	sum := func(path string) (allocated, live int64) {
		_, body := get(t, path)
		p, err := profile.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range p.Sample {
			allocated += sample.Value[1]
			live += sample.Value[3]
		}
		return allocated, live
	}
	var live, allLive int64
	for try := 0; try < 5; try++ {
		sum("/debug/pprof/delta_heap")
		var allocated, all int64
		allocated, live = sum("/debug/pprof/delta_heap")
		all, allLive = sum("/debug/pprof/allocs")
		if allocated < 0 || allocated > all/2 {
			t.Errorf("%d bytes since the last request, %d in all", allocated, all)
		}
		if live >= allLive*9/10 && live <= allLive*11/10 {
			return
		}
	}
	t.Errorf("%d bytes live, %d in the other profile", live, allLive)
}
