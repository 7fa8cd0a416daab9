// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.JvmShare.ArrayMirrors;
import io.heapsampler.internal.BlockWriter;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Bytes without samples are the JVM's only where no sample can be missing. */
class ArrayMirrorsTest {

    private static final Set<DropCause> UNSEEN =
            EnumSet.of(
                    DropCause.NATIVE_MEMORY,
                    DropCause.THINNED,
                    DropCause.CAPPED,
                    DropCause.BURST,
                    DropCause.PHANTOM);

    private static HeapSnapshot lost(DropCause cause, int samples) {
        return Blocks.decode(new BlockWriter().drop(cause.ordinal(), samples).write());
    }

    @Test
    void lostSamplesMayBeTheAuthors() {
        long size = LongStream.range(1, 1_000).filter(ArrayMirrors::explain).findFirst().orElse(0);
        Assumptions.assumeTrue(size > 0, "the JVM reports samples of them");

        for (DropCause cause : DropCause.values()) {
            assertThat(JvmShare.sum(lost(cause, 0), 3 * size).bytes()).isEqualTo(3 * size);
            assertThat(JvmShare.sum(lost(cause, 1), 3 * size).bytes())
                    .as(cause.name())
                    .isEqualTo(UNSEEN.contains(cause) ? 0 : 3 * size);
        }
    }
}
