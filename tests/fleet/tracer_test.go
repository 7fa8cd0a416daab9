// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package fleet

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

// links returns the traces that samples of a request link to.
func links(request pprofile.Profiles) map[string]bool {
	found := map[string]bool{}
	d := request.Dictionary()
	profiles := request.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles()
	for i := 0; i < profiles.Len(); i++ {
		samples := profiles.At(i).Samples()
		for k := 0; k < samples.Len(); k++ {
			link := d.LinkTable().At(int(samples.At(k).LinkIndex()))
			if !link.TraceID().IsEmpty() && !link.SpanID().IsEmpty() {
				found[link.TraceID().String()] = true
			}
		}
	}
	return found
}

// A tracing agent as it is shipped shares the context of its threads and of the process: samples link to its
// traces, and the profiles have its resource.
func TestTracer(t *testing.T) {
	r := &receiver{t: t, failed: map[string]bool{}}
	url := listen(t, r)
	off := []string{"profiling.allocation", "profiling.ddprof.alloc", "profiling.ddprof.liveheap",
		"profiling.directallocation", "instrumentation.telemetry", "remote_config", "crashtracking",
		"integration.java-http-client"} // spans of the push itself
	// Before the agent of the tracer, which takes the samples of the JVM for itself.
	arguments := []string{"-Xmx256m", "-agentpath:" + setting(t, "HEAPSAMPLER_LIBRARY") + "=interval=16k",
		"-javaagent:" + setting(t, "HEAPSAMPLER_TRACER"), "-Ddd.service=traced-shop",
		"-Ddd.trace.otel.enabled=true", "-Ddd.profiling.enabled=true", "-Ddd.profiling.ddprof.enabled=true",
		"-Ddd.profiling.start-force-first=true", "-Ddd.trace.agent.url=http://127.0.0.1:1"}
	for _, name := range off {
		arguments = append(arguments, "-Ddd."+name+".enabled=false")
	}
	output := java(t, append(arguments, "-cp",
		strings.Join([]string{setting(t, "HEAPSAMPLER_MODULES"), setting(t, "HEAPSAMPLER_TRACED")}, ":"), "Traced", url)...)
	traces := map[string]bool{}
	for _, line := range strings.Split(output, "\n") {
		if trace, is := strings.CutPrefix(line, "trace "); is {
			traces[trace] = true
		}
	}
	if len(traces) == 0 || len(r.otlp) < 3 {
		t.Fatalf("%d traces, %d requests", len(traces), len(r.otlp))
	}
	linked := 0
	for _, request := range r.otlp {
		for trace := range links(request) {
			linked++
			if !traces[trace] {
				t.Errorf("a link to the trace %s, which is not of this application", trace)
			}
		}
	}
	if linked == 0 {
		t.Error("no sample links to a trace")
	}
	resource := r.otlp[len(r.otlp)-1].ResourceProfiles().At(0).Resource().Attributes().AsRaw()
	if resource["service.name"] != "traced-shop" || resource["service.instance.id"] == nil {
		t.Errorf("the resource is %v", resource)
	}
}
