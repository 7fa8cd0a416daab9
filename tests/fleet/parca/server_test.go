// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package parca

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	querypb "github.com/parca-dev/parca/gen/proto/go/parca/query/v1alpha1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const patience = 90 * time.Second

// setting is what tests/fleet/run has found.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set; run tests/fleet/run long", name)
	}
	return value
}

// start runs a program until the test is over.
func start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
}

// tenants starts the example with labels, of which the tenant globex leaks, and returns its address.
func tenants(t *testing.T) string {
	t.Helper()
	command := exec.Command(setting(t, "HEAPSAMPLER_JAVA"), "-Xmx256m", "-cp", setting(t, "HEAPSAMPLER_TENANTS"),
		"io.heapsampler.examples.tenants.ServedTenants", "0", "300")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, command)
	line, err := bufio.NewReader(out).ReadString('\n')
	page, parsed := url.Parse(strings.TrimSpace(line))
	if err != nil || parsed != nil {
		t.Fatalf("the example has said %q: %v", line, err)
	}
	go io.Copy(io.Discard, out)
	return "127.0.0.1:" + page.Port()
}

// freeAddress is free now, and most likely in a moment.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// server starts Parca with the example's configuration, for another target and more often, and returns its address.
func server(t *testing.T, target string) string {
	t.Helper()
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	changed := string(text)
	for before, after := range map[string]string{"127.0.0.1:6060": target, `scrape_interval: "10s"`: `scrape_interval: "2s"`} {
		if strings.Count(changed, before) != 1 {
			t.Fatalf("not once in the example: %s", before)
		}
		changed = strings.Replace(changed, before, after, 1)
	}
	folder := t.TempDir()
	config := filepath.Join(folder, "parca.yaml")
	if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(setting(t, "HEAPSAMPLER_PARCA_LOG"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	address := freeAddress(t)
	command := exec.Command(setting(t, "HEAPSAMPLER_PARCA"), "--config-path="+config, "--http-address="+address)
	command.Dir = folder
	command.Stdout, command.Stderr = log, log
	start(t, command)
	return address
}

// queries is the API that Parca's page uses.
func queries(t *testing.T, server string) querypb.QueryServiceClient {
	t.Helper()
	connection, err := grpc.Dial(server, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return querypb.NewQueryServiceClient(connection)
}

// liveBytes are those of the newest profile, with a label of its samples.
func liveBytes(parca querypb.QueryServiceClient, tenant string) (int64, error) {
	limited, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	query := fmt.Sprintf(`memory:inuse_space:bytes:space:bytes{tenant=%q}`, tenant)
	answer, err := parca.QueryRange(limited, &querypb.QueryRangeRequest{
		Query: query,
		Start: timestamppb.New(time.Now().Add(-10 * time.Minute)),
		End:   timestamppb.Now(),
	})
	if err != nil {
		return 0, err
	}
	if len(answer.Series) != 1 {
		return 0, fmt.Errorf("%s: %d series", query, len(answer.Series))
	}
	samples := answer.Series[0].Samples
	return samples[len(samples)-1].Value, nil
}

// eventually tries until there is no error.
func eventually(t *testing.T, what func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(500 * time.Millisecond) {
		if err = what(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// A real server scrapes a service whose tenants run the same code, and names the one that leaks.
func TestServerNamesTheTenantThatLeaks(t *testing.T) {
	parca := queries(t, server(t, tenants(t)))

	eventually(t, func() error {
		acme, _ := liveBytes(parca, "acme") // there may be none
		globex, err := liveBytes(parca, "globex")
		if err != nil {
			return err
		}
		if globex < 1_000_000 || globex < 5*acme {
			return fmt.Errorf("live bytes of acme %d, of globex %d", acme, globex)
		}
		t.Logf("live bytes of acme %d, of globex %d", acme, globex)
		return nil
	})
}
