// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import one.profiler.AsyncProfiler;
import one.profiler.Counter;

/** async-profiler, which keeps the stacks it knows from one start to the next, as HeapSampler does. */
final class AsyncProfilerTool implements Tool {

    private static final Pattern COUNT = Pattern.compile(" (\\d+)$", Pattern.MULTILINE);

    private final AsyncProfiler profiler = AsyncProfiler.getInstance();
    private final boolean isLive;

    AsyncProfilerTool(boolean isLive) {
        this.isLive = isLive;
    }

    @Override
    public void start(int interval) throws IOException {
        // 0 stands for its default.
        String options = "event=alloc,alloc=" + Math.max(interval, 1) + (isLive ? ",live" : "");
        profiler.execute("resume," + options);
    }

    @Override
    public void stop() {
        profiler.stop();
    }

    @Override
    public long samples() {
        return profiler.getSamples();
    }

    @Override
    public long found() {
        Matcher counts = COUNT.matcher(profiler.dumpCollapsed(Counter.SAMPLES));
        return counts.results().mapToLong(r -> Long.parseLong(r.group(1))).sum();
    }
}
