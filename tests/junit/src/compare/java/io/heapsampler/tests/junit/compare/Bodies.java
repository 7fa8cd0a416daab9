// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit.compare;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The bodies that each tool measures. */
@State(Scope.Thread)
public class Bodies {

    public volatile Object sink;

    @Benchmark
    public void nothing() {}

    @Benchmark
    public void oneObject() {
        sink = new Object();
    }

    @Benchmark
    public void arrays() {
        for (int i = 0; i < 100; i++) {
            sink = new byte[1000];
        }
    }

    @Benchmark
    public void list() {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            list.add(this);
        }
        sink = list;
    }

    @Benchmark
    public void format() {
        sink = String.format("%s %d.%02d", "tea", 4, 50);
    }
}
