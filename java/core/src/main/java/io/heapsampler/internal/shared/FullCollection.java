// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.VmInfo;

/**
 * A full collection that other code is about to have made, such as that of the JVM's class
 * histogram, and that serves a snapshot in place of a collection of its own.
 *
 * <pre>{@code
 * FullCollection collection = FullCollection.expect(recording);
 * printClassHistogram();
 * HeapSnapshot snapshot = collection.snapshot();
 * }</pre>
 *
 * <p>Serial, Parallel and G1 make a full collection in one pause and count it. If their count has
 * not risen, and on other collectors, the snapshot forces a collection, as {@link
 * io.heapsampler.SnapshotOptions#afterGc()} does. Objects that were allocated after the call of
 * {@link #expect} may be unconfirmed.
 */
public final class FullCollection {

    private final HeapRecording recording;
    private final long before;
    private final int expected;

    private FullCollection(HeapRecording recording) {
        this.recording = recording;
        boolean isCounted = VmInfo.fullCollections() >= 0;
        expected =
                isCounted
                        ? FacadeAccess.of(recording).expectCollection(recording)
                        : Engine.AFTER_FORCED;
        before = VmInfo.fullCollections(); // later, so that no collection before it counts
    }

    /**
     * Prepares for the collection.
     *
     * @throws IllegalStateException if the recording is closed
     */
    public static FullCollection expect(HeapRecording recording) {
        return new FullCollection(recording);
    }

    /**
     * Takes a snapshot of the recording after that collection, or after another if it was not made.
     *
     * @throws IllegalStateException if the recording is closed
     * @throws io.heapsampler.HeapSamplingUnavailableException as {@link HeapRecording#snapshot()}
     */
    public HeapSnapshot snapshot() {
        boolean isMade = VmInfo.fullCollections() > before;
        return FacadeAccess.of(recording)
                .snapshot(recording, isMade ? expected : Engine.AFTER_FORCED, 0);
    }
}
