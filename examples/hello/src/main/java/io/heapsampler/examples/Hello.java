// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import java.util.HashMap;
import java.util.Map;

/** The first lines of the README: start, work, look. */
public final class Hello {

    private static final int PAGES = 200_000;

    private Hello() {}

    /** Samples some work and prints its three largest allocation sites. */
    public static void main(String[] args) {
        // readme: hello
        HeapSampler.start();
        Map<String, byte[]> kept = work();
        HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
        for (HeapSite site : snapshot.topByAllocated(3)) {
            System.out.println("Bytes of " + site.className());
            System.out.println("  allocated " + site.allocated().bytes());
            System.out.println("  live      " + site.live().bytes());
            site.stack().stream()
                    .filter(frame -> !frame.isImplementation()) // reflection, lambdas, ...
                    .limit(3)
                    .forEach(frame -> System.out.println("    at " + frame));
        }
        HeapSampler.stop();
        // end
        System.out.println(kept.size() + " of " + PAGES + " pages were kept.");
    }

    /** Makes pages, gives each a name, and keeps one in ten. */
    private static Map<String, byte[]> work() {
        Map<String, byte[]> kept = new HashMap<>();
        for (int i = 0; i < PAGES; i++) {
            byte[] page = new byte[1024 + i % 1024];
            String name = "page " + i;
            if (i % 10 == 0) {
                kept.put(name, page);
            }
        }
        return kept;
    }
}
