// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which iteration an object is of, whatever the wall clock says. */
class CohortsTest {

    /** When the last snapshot was taken, by a clock that was set: any time at all. */
    private static final long WALL = 1_000_000_000_000_000L;

    /** The same since the recording began. */
    private static final long NOW = 9_000;

    /** Begin, and the ends of five iterations. */
    private static final long[] MARKS = {1_000, 2_000, 3_000, 3_001, 5_000, 6_000};

    private static final int LIVE = 1;
    private static final int UNCONFIRMED = 0;

    private final BlockWriter writer =
            new BlockWriter().info(Info.TAKEN_AT, WALL).info(Info.SAMPLED_MICROS, NOW);

    private final int thread = writer.thread(1, "main");

    private final int site =
            writer.site(
                    writer.stack(false, writer.frame("com.acme.Cart", "add", 7)),
                    "byte[]",
                    1,
                    1,
                    16);

    private void allocatedAt(long time, int liveness) {
        writer.living(site, thread, 16, WALL - NOW + time, 0, 0, liveness, 1);
    }

    private List<Survivors> survivors() {
        HeapSnapshot last = Blocks.decode(writer.write());
        assertThat(Cohorts.time(last)).isEqualTo(NOW);
        return Cohorts.of(last, MARKS, Scope.TEST);
    }

    @Test
    void eachMicrosecondIsOfTheIterationThatItBegins() {
        for (long time : new long[] {1_000, 2_000, 3_000, 3_001, 5_999}) {
            allocatedAt(time, LIVE);
        }

        assertThat(survivors())
                .singleElement()
                .satisfies(
                        found -> {
                            assertThat(found.iterations()).isEqualTo(5);
                            assertThat(found.nonEmpty()).isEqualTo(5);
                            assertThat(found.kind()).isEqualTo(Survivors.Kind.LEAK);
                        });
    }

    @Test
    void whatLiesInOneIterationIsOfThatOne() {
        allocatedAt(1_000, LIVE);
        allocatedAt(1_999, LIVE);

        assertThat(survivors())
                .singleElement()
                .satisfies(
                        found -> {
                            assertThat(found.nonEmpty()).isOne();
                            assertThat(found.kind()).isEqualTo(Survivors.Kind.FILLED);
                            assertThat(found.objectsPerIteration()).isEqualTo(2 / 5.0);
                        });
    }

    @Test
    void whatWasBeforeOrAfterOrMayBeDeadIsOfNone() {
        allocatedAt(0, LIVE);
        allocatedAt(999, LIVE);
        allocatedAt(6_000, LIVE);
        allocatedAt(9_000, LIVE);
        allocatedAt(4_000, UNCONFIRMED);

        assertThat(survivors()).isEmpty();
    }
}
