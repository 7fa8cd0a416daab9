// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package fleet

import (
	"bufio"
	"context"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// A branch pushes every 3 seconds, and once more at its end.
const branchSeconds = "6"

// branch runs the example in examples/fleet.
func branch(t *testing.T, arguments ...string) {
	t.Helper()
	output := java(t, append([]string{"-Xmx64m", "-Dheapsampler.maxOverhead=1", "-cp", setting(t, "HEAPSAMPLER_EXAMPLE"),
		"io.heapsampler.examples.Branch"}, arguments...)...)
	if !strings.Contains(output, "PushStatus[") || !strings.Contains(output, "dropped={}") ||
		strings.Contains(output, "delivered=0,") {
		t.Errorf("not all was delivered: %s", output)
	}
}

// checkLeak says whether the leak of the example is seen.
func checkLeak(t *testing.T, p *profile.Profile) {
	t.Helper()
	if leaf := leafOf(p, "io.heapsampler.examples.Branch.keepBasket"); leaf != "byte[]" {
		t.Errorf("the leaf of the leak is %q", leaf)
	}
}

func TestExample(t *testing.T) {
	t.Run("pyroscope", func(t *testing.T) {
		t.Parallel()
		r := &receiver{t: t, failed: map[string]bool{}}
		branch(t, "pyroscope", listen(t, r), branchSeconds)
		if len(r.pushes) == 0 {
			t.Fatal("nothing was pushed")
		}
		last := r.pushes[len(r.pushes)-1]
		if last.labels["service_name"] != "shop" || last.labels["branch"] != "riga" {
			t.Errorf("labels %v", last.labels)
		}
		checkLeak(t, last.profile)
	})
	t.Run("otlp", func(t *testing.T) {
		t.Parallel()
		r := &receiver{t: t, failed: map[string]bool{}}
		branch(t, "otlp", listen(t, r), branchSeconds)
		if len(r.otlp) == 0 {
			t.Fatal("nothing was pushed")
		}
		all := figures(t, r.otlp[len(r.otlp)-1], 128*1024, map[string]string{"service.name": "shop", "branch": "riga"})
		if all["inuse_space:bytes"].leaves["byte[]"] == 0 {
			t.Errorf("nothing is live: %v", all)
		}
	})
	t.Run("scrape", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, setting(t, "HEAPSAMPLER_JAVA"), "-Xmx64m", "-Dheapsampler.maxOverhead=1", "-cp",
			setting(t, "HEAPSAMPLER_EXAMPLE"), "io.heapsampler.examples.Branch", "scrape", "0", "60")
		output, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		defer command.Wait()
		defer cancel()
		lines := bufio.NewScanner(output)
		lines.Scan() // the address
		// Until the first collection nothing is known to live.
		for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
			response, err := http.Get(lines.Text() + "allocs?labels=0")
			if err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
			p, err := profile.Parse(response.Body)
			response.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if leafOf(p, "io.heapsampler.examples.Branch.keepBasket") != "" {
				checkLeak(t, p)
				return
			}
			if time.Now().After(end) {
				t.Fatal("no leak was seen in a minute")
			}
		}
	})
}
