// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How long a command looks at a JVM. */
final class HowLong {

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = Times.class,
            description = "How long, such as 30s or 5m.")
    private @Nullable Duration duration;

    /** What was said; null if nothing was. */
    @Nullable Duration said() {
        return duration;
    }

    Duration or(Duration usual) {
        return duration == null ? usual : duration;
    }
}
