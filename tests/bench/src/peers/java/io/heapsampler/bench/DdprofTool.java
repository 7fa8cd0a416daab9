// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.datadoghq.profiler.JavaProfiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * ddprof with a live heap of all samples. It holds the capability to sample as long as the JVM runs,
 * so that no other tool can follow it, and requests 256 KiB where a smaller interval is wanted.
 */
final class DdprofTool implements Tool {

    private final JavaProfiler profiler = JavaProfiler.getInstance();
    private final Path file = Files.createTempFile("bench", ".jfr");

    DdprofTool() throws IOException {
        file.toFile().deleteOnExit();
    }

    @Override
    public void start(int interval) throws IOException {
        profiler.execute("start,memory=" + Math.max(interval, 1) + ":l:1.0,jfr,file=" + file);
    }

    @Override
    public void stop() {
        profiler.stop();
    }

    @Override
    public long samples() {
        return profiler.getSamples();
    }

    /** Its files cannot always be read by the JDK, so that their size must do. */
    @Override
    public long found() throws IOException {
        return Files.size(file);
    }
}
