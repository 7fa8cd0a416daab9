// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package fleet

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

// figure is a kind of sample of one push.
type figure struct {
	start, end uint64
	total      int64
	leaves     map[string]int64
	labels     map[string]int64
}

// labels are the attributes of a sample.
func labels(d pprofile.ProfilesDictionary, sample pprofile.Sample) string {
	var all []string
	for i := 0; i < sample.AttributeIndices().Len(); i++ {
		attribute := d.AttributeTable().At(int(sample.AttributeIndices().At(i)))
		all = append(all, name(d, attribute.KeyStrindex())+"="+attribute.Value().Str())
	}
	return strings.Join(all, ",")
}

// name follows a number into the table of strings.
func name(d pprofile.ProfilesDictionary, index int32) string {
	return d.StringTable().At(int(index))
}

// leaf is the name of the function at the top of a stack, all of which must exist.
func leaf(t *testing.T, d pprofile.ProfilesDictionary, index int32) string {
	locations := d.StackTable().At(int(index)).LocationIndices()
	found := ""
	for i := 0; i < locations.Len(); i++ {
		location := d.LocationTable().At(int(locations.At(i)))
		line := location.Lines().At(0)
		function := name(d, d.FunctionTable().At(int(line.FunctionIndex())).NameStrindex())
		if function == "" {
			t.Error("a function without a name")
		}
		attribute := d.AttributeTable().At(int(location.AttributeIndices().At(0)))
		if name(d, attribute.KeyStrindex()) != "profile.frame.type" || attribute.Value().Str() != "jvm" {
			t.Errorf("a frame of type %s", attribute.Value().Str())
		}
		if i == 0 {
			found = function
		}
	}
	return found
}

// checkDictionary: number 0 means nothing in each table.
func checkDictionary(t *testing.T, d pprofile.ProfilesDictionary) {
	t.Helper()
	empty := d.StringTable().At(0) == "" &&
		d.StackTable().At(0).LocationIndices().Len() == 0 &&
		d.LocationTable().At(0).Lines().Len() == 0 &&
		d.FunctionTable().At(0).NameStrindex() == 0 &&
		d.MappingTable().At(0).FilenameStrindex() == 0 &&
		d.LinkTable().At(0).TraceID().IsEmpty() &&
		d.AttributeTable().At(0).KeyStrindex() == 0
	if !empty {
		t.Error("the first entry of a table is not empty")
	}
}

// figures reads a request into its kinds of samples.
func figures(t *testing.T, request pprofile.Profiles, period int64, attributes map[string]string) map[string]figure {
	t.Helper()
	d := request.Dictionary()
	checkDictionary(t, d)
	resource := request.ResourceProfiles().At(0)
	for key, want := range attributes {
		if value, _ := resource.Resource().Attributes().Get(key); value.AsString() != want {
			t.Errorf("%s is %s", key, value.AsString())
		}
	}
	found := map[string]figure{}
	profiles := resource.ScopeProfiles().At(0).Profiles()
	for i := 0; i < profiles.Len(); i++ {
		p := profiles.At(i)
		if p.ProfileID().IsEmpty() || p.Period() != period {
			t.Errorf("id %s, period %d", p.ProfileID(), p.Period())
		}
		start := uint64(p.Time())
		f := figure{start, start + p.DurationNano(), 0, map[string]int64{}, map[string]int64{}}
		for k := 0; k < p.Samples().Len(); k++ {
			sample := p.Samples().At(k)
			value := sample.Values().At(0)
			f.total += value
			f.leaves[leaf(t, d, sample.StackIndex())] += value
			f.labels[labels(d, sample)] += value
		}
		found[name(d, p.SampleType().TypeStrindex())+":"+name(d, p.SampleType().UnitStrindex())] = f
	}
	return found
}

func checkOtlp(t *testing.T, requests []pprofile.Profiles, want totals) {
	t.Helper()
	if len(requests) < 3 {
		t.Fatalf("%d requests", len(requests))
	}
	var bytes int64
	var end uint64
	isFull := false // live once it has collected, which may take some requests
	for i, request := range requests {
		// The option wins over the process context.
		all := figures(t, request, 64*1024, map[string]string{"service.name": "shop", "region": "eu",
			"service.instance.id": "627cc493", "shop.canary": "true"})
		live, isLive := all["inuse_space:bytes"]
		isFull = isFull || isLive && live.total >= 15e6 || i >= 8
		if isFull && (!isLive || live.total < 15e6 || live.total > 30e6 || live.leaves["byte[]"] < 15e6) {
			t.Errorf("request %d: %d live bytes, %v", i, live.total, live.leaves)
		}
		if isFull && live.labels["http.route=GET /orders,tenant=acme"] < 15e6 {
			t.Errorf("request %d: live bytes by labels %v", i, live.labels)
		}
		if end != 0 && isLive && live.start != end {
			t.Errorf("request %d begins at %d, and the one before ends at %d", i, live.start, end)
		}
		end = live.end
		bytes += all["alloc_space:bytes"].total
	}
	if !isFull {
		t.Error("nothing was ever live")
	}
	near(t, "allocated bytes", bytes, want.allocated)
}

// freePort returns a port without a listener so far.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// A collector as it is built by its own builder takes the profiles, with the configuration of the
// example, and writes them to a file.
func TestCollector(t *testing.T) {
	binary := setting(t, "HEAPSAMPLER_COLLECTOR")
	file := filepath.Join(t.TempDir(), "profiles.json")
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	collector := exec.CommandContext(ctx, binary, "--feature-gates=service.profilesSupport",
		"--config=../../examples/fleet/collector.yaml")
	collector.Env = append(os.Environ(), "OTLP_ENDPOINT="+address, "PROFILES_FILE="+file)
	collector.Cancel = func() error { return collector.Process.Signal(os.Interrupt) }
	collector.WaitDelay = 30 * time.Second
	var log bytes.Buffer
	collector.Stderr = &log
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get("http://" + address + "/")
		if err == nil {
			response.Body.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the collector does not listen: %s", log.String())
		}
	}
	want := run(t, "otlp=http://"+address)
	cancel()
	collector.Wait()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var requests []pprofile.Profiles
	for _, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		request, err := (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(line)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, request)
	}
	checkOtlp(t, requests, want)
}
