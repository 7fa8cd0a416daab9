// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSnapshot;
import java.util.Objects;
import org.assertj.core.api.AssertProvider;

/**
 * A snapshot that AssertJ's own {@code assertThat} accepts, for code that hands out snapshots and
 * wants no second static import at its callers.
 *
 * <pre>{@code
 * import static org.assertj.core.api.Assertions.assertThat;
 *
 * assertThat(AssertableHeapSnapshot.of(recording.snapshot())).sitesOf(byte[].class).allocatesAtMost("1 MB");
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class AssertableHeapSnapshot implements AssertProvider<HeapSnapshotAssert> {

    private final HeapSnapshot snapshot;

    private AssertableHeapSnapshot(HeapSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** {@return a snapshot that AssertJ accepts} */
    public static AssertableHeapSnapshot of(HeapSnapshot snapshot) {
        return new AssertableHeapSnapshot(Objects.requireNonNull(snapshot, "snapshot"));
    }

    /** {@return the snapshot} */
    public HeapSnapshot snapshot() {
        return snapshot;
    }

    @Override
    public HeapSnapshotAssert assertThat() {
        return HeapSamplerAssertions.assertThat(snapshot);
    }

    @Override
    public String toString() {
        return snapshot.toString();
    }
}
