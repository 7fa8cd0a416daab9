// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package fleet receives what a running application pushes, with the libraries that receivers are
// made of.
package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	"github.com/grafana/pyroscope/api/model/labelset"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// A push is one profile with what stands beside it.
type push struct {
	labels      map[string]string
	from, until int64
	profile     *profile.Profile
}

// A receiver takes what the three kinds of pushes send, and answers the first of each with an error.
type receiver struct {
	t             *testing.T
	authorization string
	mutex         sync.Mutex
	failed        map[string]bool
	pushes        []push
	ingests       []push
	otlp          []pprofile.Profiles
}

// failsFirst says once for each kind that the receiver is not well.
func (r *receiver) failsFirst(kind string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	first := !r.failed[kind]
	r.failed[kind] = true
	return first
}

func parse(t *testing.T, raw []byte) *profile.Profile {
	p, err := profile.ParseData(raw)
	if err != nil {
		t.Errorf("no profile: %v", err)
		return &profile.Profile{}
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	return p
}

// Push is push.v1, with Pyroscope's own types.
func (r *receiver) Push(_ context.Context, request *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	if request.Header().Get("Authorization") != r.authorization {
		r.t.Errorf("authorization %q", request.Header().Get("Authorization"))
	}
	if r.failsFirst("push") {
		return nil, connect.NewError(connect.CodeUnavailable, io.ErrUnexpectedEOF)
	}
	for _, series := range request.Msg.Series {
		labels := map[string]string{}
		for _, label := range series.Labels {
			labels[label.Name] = label.Value
		}
		for _, sample := range series.Samples {
			if len(sample.ID) != 36 {
				r.t.Errorf("id %q", sample.ID)
			}
			p := parse(r.t, sample.RawProfile)
			r.mutex.Lock()
			r.pushes = append(r.pushes, push{labels, p.TimeNanos - p.DurationNanos, p.TimeNanos, p})
			r.mutex.Unlock()
		}
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

// ingest reads what Pyroscope reads of such a form, with its own parser of names.
func (r *receiver) ingest(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	set, err := labelset.Parse(query.Get("name"))
	if err != nil {
		r.t.Errorf("%q: %v", query.Get("name"), err)
	}
	if err := request.ParseMultipartForm(32 << 20); err != nil {
		r.t.Error(err)
	}
	if r.failsFirst("ingest") {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many", http.StatusTooManyRequests)
		return
	}
	field := func(name string) []byte {
		file, _, err := request.FormFile(name)
		if err != nil {
			r.t.Errorf("%s: %v", name, err)
			return nil
		}
		content, _ := io.ReadAll(file)
		return content
	}
	if config := field("sample_type_config"); !bytes.Contains(config, []byte(`"alloc_space":{"units":"bytes","aggregation":"sum"`)) {
		r.t.Errorf("sample types %s", config)
	}
	from, _ := strconv.ParseInt(query.Get("from"), 10, 64)
	until, _ := strconv.ParseInt(query.Get("until"), 10, 64)
	p := parse(r.t, field("profile"))
	r.mutex.Lock()
	r.ingests = append(r.ingests, push{set.Labels(), from, until, p})
	r.mutex.Unlock()
}

// profiles is OTLP over HTTP, with the collector's own types.
func (r *receiver) profiles(w http.ResponseWriter, request *http.Request) {
	if r.failsFirst("otlp") {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if request.Header.Get("Content-Type") != "application/x-protobuf" {
		r.t.Errorf("content type %q", request.Header.Get("Content-Type"))
	}
	unzipped, err := gzip.NewReader(request.Body)
	if err != nil {
		r.t.Error(err)
		return
	}
	body, err := io.ReadAll(unzipped)
	if err != nil {
		r.t.Error(err)
	}
	profiles, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(body)
	if err != nil {
		r.t.Error(err)
	}
	r.mutex.Lock()
	r.otlp = append(r.otlp, profiles)
	r.mutex.Unlock()
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func listen(t *testing.T, r *receiver) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(r))
	mux.HandleFunc("POST /ingest", r.ingest)
	mux.HandleFunc("POST /v1development/profiles", r.profiles)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String()
}

// totals is what the application says about itself at its end.
type totals struct{ allocated, live float64 }

// setting is what tests/fleet/run has found.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set; run tests/fleet/run", name)
	}
	return value
}

// java runs a program to its end, and returns what it prints.
func java(t *testing.T, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, setting(t, "HEAPSAMPLER_JAVA"), arguments...)
	var errors bytes.Buffer
	command.Stderr = &errors
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, output, errors.String())
	}
	t.Logf("%s%s", output, errors.String())
	return string(output)
}

// run runs the application with the jars that tests/fleet/run names.
func run(t *testing.T, arguments ...string) totals {
	t.Helper()
	output := java(t, append([]string{"-Xmx256m", "--add-modules", "io.heapsampler.push",
		"--module-path", setting(t, "HEAPSAMPLER_MODULES"), "App.java"}, arguments...)...)
	var found totals
	for _, line := range strings.Split(output, "\n") {
		if words := strings.Fields(line); len(words) == 2 {
			value, _ := strconv.ParseFloat(words[1], 64)
			switch words[0] {
			case "allocated":
				found.allocated = value
			case "live":
				found.live = value
			}
		}
		if strings.Contains(line, "dropped={") && !strings.Contains(line, "dropped={}") {
			t.Errorf("dropped: %s", line)
		}
	}
	return found
}

// near compares sums of figures that were rounded site by site.
func near(t *testing.T, what string, is int64, want float64) {
	t.Helper()
	if math.Abs(float64(is)-want) > 0.001*want {
		t.Errorf("%s is %d, not %.0f", what, is, want)
	}
}

func sum(p *profile.Profile, index int) (total int64) {
	for _, sample := range p.Sample {
		total += sample.Value[index]
	}
	return total
}

// checkPushes: allocations add up to all there were, though the first attempt failed; live objects are sent
// each time. The first may have been made while that came to be.
func checkPushes(t *testing.T, pushes []push, want totals) {
	if len(pushes) < 3 {
		t.Fatalf("%d pushes", len(pushes))
	}
	var objects, bytes int64
	isFull := false // live once it has collected, which may take some pushes
	for i, each := range pushes {
		if i > 0 && each.from != pushes[i-1].until {
			t.Errorf("push %d begins at %d, and the one before ends at %d", i, each.from, pushes[i-1].until)
		}
		if each.labels["region"] != "eu" {
			t.Errorf("labels %v", each.labels)
		}
		live := sum(each.profile, 3)
		isFull = isFull || live >= 15e6 || i >= 8
		if isFull && (live < 15e6 || live > 30e6) {
			t.Errorf("push %d has %d live bytes", i, live)
		}
		objects += sum(each.profile, 0)
		bytes += sum(each.profile, 1)
		// Pyroscope makes a series of each set: no classes, no threads, and names that it accepts.
		var labelled int64
		for _, sample := range each.profile.Sample {
			isOrders := len(sample.Label) == 2 && sample.Label["http_route"][0] == "GET /orders" &&
				sample.Label["tenant"][0] == "acme"
			if len(sample.Label) != 0 && !isOrders || len(sample.NumLabel) != 0 {
				t.Fatalf("labels of a sample: %v %v", sample.Label, sample.NumLabel)
			}
			if isOrders {
				labelled += sample.Value[3]
			}
		}
		if isFull && labelled < 15e6 {
			t.Errorf("push %d has %d live bytes with labels", i, labelled)
		}
	}
	if !isFull {
		t.Error("nothing was ever live")
	}
	near(t, "allocated bytes", bytes, want.allocated)
	if objects < 1e5 {
		t.Errorf("%d objects", objects)
	}
	last := pushes[len(pushes)-1]
	if live := float64(sum(last.profile, 3)); math.Abs(live-want.live) > 0.2*want.live {
		t.Errorf("%.0f bytes are live, %.0f at the end", live, want.live)
	}
	if leaf := leafOf(last.profile, "App.main"); leaf != "byte[]" {
		t.Errorf("the leaf of the largest site is %q", leaf)
	}
}

// leafOf returns the leaf of the sample with most live bytes whose next frame is the function.
func leafOf(p *profile.Profile, function string) (leaf string) {
	var most int64
	for _, sample := range p.Sample {
		name := func(i int) string { return sample.Location[i].Line[0].Function.Name }
		if len(sample.Location) > 1 && name(1) == function && sample.Value[3] > most {
			most, leaf = sample.Value[3], name(0)
		}
	}
	return leaf
}

func TestReceivers(t *testing.T) {
	r := &receiver{t: t, authorization: "Bearer secret", failed: map[string]bool{}}
	url := listen(t, r)
	want := run(t, "push_v1="+url, "ingest="+url, "otlp="+url)
	t.Run("push.v1", func(t *testing.T) {
		checkPushes(t, r.pushes, want)
		for name, value := range map[string]string{"__name__": "memory", "__delta__": "false", "service_name": "shop"} {
			if r.pushes[0].labels[name] != value {
				t.Errorf("label %s is %q", name, r.pushes[0].labels[name])
			}
		}
	})
	t.Run("ingest", func(t *testing.T) {
		checkPushes(t, r.ingests, want)
		if name := r.ingests[0].labels["__name__"]; name != "shop" {
			t.Errorf("name %q", name)
		}
	})
	t.Run("otlp", func(t *testing.T) { checkOtlp(t, r.otlp, want) })
}
