// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Package collector holds the example of a collector that scrapes to what the collector is made of, all but the
// pprof receiver: the proxy of Go modules refused it in each version that was requested, and what it converts pprof
// with. What is in its place is said at each test.
package collector

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"go.yaml.in/yaml/v3"
)

// setting is what tests/fleet/run has found.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set; run tests/fleet/run long", name)
	}
	return value
}

func example(t *testing.T) *confmap.Conf {
	t.Helper()
	text, err := os.ReadFile("../../../examples/fleet/scrape-collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	return confmap.NewFromStringMap(content)
}

// remote is what the example says to the receiver, all of it.
func remote(t *testing.T) *confmap.Conf {
	t.Helper()
	receiver, err := example(t).Sub("receivers::pprof/shop")
	if err != nil {
		t.Fatal(err)
	}
	remote, err := receiver.Sub("remote")
	if err != nil {
		t.Fatal(err)
	}
	if len(receiver.ToStringMap()) != 1 {
		t.Errorf("more than remote: %v", receiver.AllKeys())
	}
	return remote
}

// client reads what the receiver takes as the collector's own settings of a client.
func client(t *testing.T) confighttp.ClientConfig {
	t.Helper()
	settings := confighttp.NewDefaultClientConfig()
	if err := remote(t).Unmarshal(&settings, confmap.WithIgnoreUnused()); err != nil {
		t.Fatal(err)
	}
	if err := settings.Validate(); err != nil {
		t.Fatal(err)
	}
	return settings
}

// with is the configuration, changed.
func with(t *testing.T, all *confmap.Conf, changes map[string]any) *confmap.Conf {
	t.Helper()
	if err := all.Merge(confmap.NewFromStringMap(changes)); err != nil {
		t.Fatal(err)
	}
	return all
}

// The receiver has, since 0.153, under the key remote: the settings of a client, and how often to ask. The names of
// the former are held to the collector's, that of the latter is copied from the receiver.
func TestReceiver(t *testing.T) {
	keys := remote(t).AllKeys()
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"collection_interval", "endpoint", "timeout"}) {
		t.Errorf("keys %v", keys)
	}
	if interval := remote(t).Get("collection_interval"); interval != "30s" {
		t.Errorf("interval %v", interval)
	}
	settings := client(t)
	if settings.Endpoint != "http://127.0.0.1:6060/debug/pprof/delta_heap?labels=0" || settings.Timeout != 10*time.Second {
		t.Errorf("to %s within %s", settings.Endpoint, settings.Timeout)
	}
}

// serve starts the example to be scraped, and returns where it is.
func serve(t *testing.T) *url.URL {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	command := exec.CommandContext(ctx, setting(t, "HEAPSAMPLER_JAVA"), "-Xmx64m", "-cp",
		setting(t, "HEAPSAMPLER_EXAMPLE"), "io.heapsampler.examples.Branch", "scrape", "0", "120")
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		command.Wait()
	})
	lines := bufio.NewScanner(output)
	lines.Scan()
	address, err := url.Parse(lines.Text())
	if err != nil || address.Host == "" {
		t.Fatalf("%q: %v", lines.Text(), err)
	}
	return address
}

// leak returns the class and the live bytes of the site that leaks.
func leak(p *profile.Profile) (class string, live int64) {
	for _, sample := range p.Sample {
		name := func(i int) string { return sample.Location[i].Line[0].Function.Name }
		if len(sample.Location) > 1 && name(1) == "io.heapsampler.examples.Branch.keepBasket" && sample.Value[3] > live {
			class, live = name(0), sample.Value[3]
		}
	}
	return class, live
}

// A running application is queried as the receiver does it: with the collector's client, made of the settings of the
// example, and the parser that the receiver has. Only the port is another.
func TestApplicationIsScraped(t *testing.T) {
	settings := client(t)
	endpoint, err := url.Parse(settings.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	endpoint.Host = "127.0.0.1:" + serve(t).Port()
	asker, err := settings.ToClient(t.Context(), nil, componenttest.NewNopTelemetrySettings())
	if err != nil {
		t.Fatal(err)
	}
	// Until the first collection nothing is known to live.
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		response, err := asker.Get(endpoint.String())
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if p.SampleType[3].Type != "inuse_space" || p.SampleType[3].Unit != "bytes" {
			t.Fatalf("sample types %v", p.SampleType)
		}
		if class, live := leak(p); live > 0 {
			if class != "byte[]" {
				t.Errorf("%d bytes of %s", live, class)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("no leak was seen in a minute")
		}
	}
}

// freeAddress returns an address without a listener so far.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// withOtlp is the example with an OTLP receiver at the address for its pprof receiver: a collector refuses a
// receiver that it does not have, whether it is used or not.
func withOtlp(t *testing.T, address string) *confmap.Conf {
	t.Helper()
	all := example(t)
	if !all.Delete("receivers::pprof/shop") {
		t.Fatal("the example has no receiver pprof/shop")
	}
	return with(t, all, map[string]any{
		"receivers::otlp::protocols::http::endpoint": address,
		"service::pipelines::profiles::receivers":    []any{"otlp"},
		"service::telemetry::metrics::level":         "none",
	})
}

// collector is a command of the collector with the configuration.
func collector(t *testing.T, ctx context.Context, all *confmap.Conf, arguments ...string) *exec.Cmd {
	t.Helper()
	text, err := yaml.Marshal(all.ToStringMap())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "collector.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(ctx, setting(t, "HEAPSAMPLER_COLLECTOR"), append(arguments,
		"--feature-gates=service.profilesSupport", "--config="+file)...)
}

// The collector accepts all of the example but the receiver, and says so if something else is there.
func TestCollectorAccepts(t *testing.T) {
	if output, err := collector(t, t.Context(), withOtlp(t, "127.0.0.1:4318"), "validate").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	for key, want := range map[string]string{
		"processors::resource::atributes":      "invalid keys: atributes",
		"exporters::otlp_http::compression":    "unsupported compression type",
		"service::pipelines::profiles::filter": "invalid keys: filter",
	} {
		wrong := with(t, withOtlp(t, "127.0.0.1:4318"), map[string]any{key: "x"})
		output, err := collector(t, t.Context(), wrong, "validate").CombinedOutput()
		if err == nil || !bytes.Contains(output, []byte(want)) {
			t.Errorf("%s: %v\n%s", key, err, output)
		}
	}
}

// exported takes what a collector exports, and hands on the name of the service that it came from.
func exported(t *testing.T, names chan<- string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path != "/v1development/profiles" {
			t.Errorf("exported to %s", request.URL.Path)
		}
		unzipped, err := gzip.NewReader(request.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(unzipped)
		if err != nil {
			t.Error(err)
		}
		profiles, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(body)
		if err != nil || profiles.ResourceProfiles().Len() != 1 {
			t.Errorf("%v, %d resources", err, profiles.ResourceProfiles().Len())
			return
		}
		found := ""
		if name, ok := profiles.ResourceProfiles().At(0).Resource().Attributes().Get("service.name"); ok {
			found = name.AsString()
		}
		select {
		case names <- found:
		default:
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// push sends a profile without a name, as the receiver hands it on.
func push(address string) error {
	profiles := pprofile.NewProfiles()
	profile := profiles.ResourceProfiles().AppendEmpty().ScopeProfiles().AppendEmpty().Profiles().AppendEmpty()
	profiles.Dictionary().StringTable().Append("")
	profile.Samples().AppendEmpty() // a profile without samples goes no further
	body, err := pprofileotlp.NewExportRequestFromProfiles(profiles).MarshalProto()
	if err != nil {
		return err
	}
	response, err := http.Post("http://"+address+"/v1development/profiles", "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %s", response.Status, answer)
	}
	return nil
}

// What the receiver hands on gets the name of the service, and goes where the example says. Only the host is another.
func TestCollectorHandsOn(t *testing.T) {
	names := make(chan string, 1)
	server := exported(t, names)
	address := freeAddress(t)
	all := withOtlp(t, address)
	if to := all.Get("exporters::otlp_http::endpoint"); to != "http://127.0.0.1:4040" {
		t.Fatalf("to %v", to)
	}
	with(t, all, map[string]any{"exporters::otlp_http::endpoint": server.URL})
	ctx, cancel := context.WithCancel(t.Context())
	command := collector(t, ctx, all)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		cancel()
		command.Wait()
	}
	t.Cleanup(stop)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := push(address)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			stop()
			t.Fatalf("the collector takes nothing: %v\n%s", err, log.String())
		}
	}
	select {
	case name := <-names:
		if name != "shop" {
			t.Errorf("the service is %q", name)
		}
	case <-time.After(time.Minute):
		stop()
		t.Fatalf("the collector hands on nothing\n%s", log.String())
	}
}
