// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.NativeEngine;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The process context that an SDK of OpenTelemetry publishes in this process (OTEP 4719): a
 * protobuf message of other code, which may be damaged. {@code native/doc/otel-context.md}
 * describes how it is found. Not safe for use by many threads.
 */
public final class ProcessContext {

    private static final byte[] NONE = {};

    private final Function<long[], byte @Nullable []> read;
    private final long[] place = new long[1];
    private byte[] last = NONE;

    /** The context of this process. */
    public ProcessContext() {
        this(NativeEngine::processContext);
    }

    /** For tests: another way to read it. */
    ProcessContext(Function<long[], byte @Nullable []> read) {
        this.read = read;
    }

    /**
     * Returns the payload that is published now, at most 64 KiB. While its publisher is writing, it
     * is the one before. Empty if there is none, or as long as the library is not loaded.
     */
    public byte[] payload() {
        byte[] now = read.apply(place);
        if (now != null) {
            last = now;
        } else if (place[0] == 0) {
            last = NONE;
        }
        return last;
    }
}
