// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.Note;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SiteDensityTest {

    private static final String OUTSIDE_TLAB = NoteText.OUTSIDE_TLAB.with().text();

    private static BlockWriter sites(int count) {
        BlockWriter writer = new BlockWriter().info(Info.FEATURE, 17);
        for (int i = 0; i < count; i++) {
            int stack = writer.stack(false, writer.frame("shop.Cart", "add", 10 + i));
            writer.site(stack, "byte[]", 1_000, 1_000, 1e6);
        }
        return writer;
    }

    private static List<String> notes(BlockWriter writer) {
        return Notes.of(SnapshotDecoder.decode(writer.write())).stream().map(Note::text).toList();
    }

    @Test
    void siteIsNamedWithItsExcess() {
        BlockWriter writer = sites(2).density(1_000, 1_000).density(2_440, 2_000);
        assertThat(notes(writer))
                .containsExactly(
                        OUTSIDE_TLAB,
                        "In the bytes that threads allocate just before samples of these sites, the"
                                + " JVM takes too many or too few samples (JDK-8356372): byte[] at"
                                + " shop.Cart.add:11 +22.0 % (± 4.8). Some of these sites, or of"
                                + " others that allocate in the same threads, have figures that are"
                                + " off by this or more; which of them cannot be known.");
    }

    @Test
    void siteWithTooFewIsNamed() {
        assertThat(notes(sites(1).density(1_600, 2_000))).last().asString().contains(" -20.0 % ");
    }

    @Test
    void worstThreeAreNamedAndTheOthersCounted() {
        BlockWriter writer = sites(5);
        for (int i = 0; i < 5; i++) {
            writer.density(3_000 + 1_000 * i, 2_000);
        }
        assertThat(notes(writer))
                .last()
                .asString()
                .contains("add:14 +250.0", "add:13 +200.0", "add:12 +150.0", "; and 2 more.")
                .doesNotContain("add:11");
    }

    @Test
    void steadySmallOrUnknownSitesAreNotNamed() {
        assertThat(notes(sites(1).density(1_030, 1_000))).containsExactly(OUTSIDE_TLAB);
        assertThat(notes(sites(1).density(1_040_000, 1_000_000)))
                .as("known to be 4 %")
                .containsExactly(OUTSIDE_TLAB);
        assertThat(notes(sites(1).density(6, 3))).containsExactly(OUTSIDE_TLAB);
        assertThat(notes(sites(1).density(0, 0))).containsExactly(OUTSIDE_TLAB);
        assertThat(notes(sites(1))).as("an older block").containsExactly(OUTSIDE_TLAB);
        assertThat(notes(sites(1).density(3_000, 1_000).info(Info.FEATURE, 25))).isEmpty();
    }

    /** Each of them may have drawn the same numbers again. */
    @Test
    void threadsThatBeginTakeEvidenceAway() {
        BlockWriter writer = sites(1).density(2_440, 2_000).info(Info.THREADS_BEGUN, 5);
        assertThat(notes(writer)).hasSize(2);
        assertThat(notes(writer.info(Info.THREADS_BEGUN, 50))).containsExactly(OUTSIDE_TLAB);
    }

    /**
     * 2,000 snapshots in which 20 threads of 20 samples each draw the same numbers, seed 7: 5 % are
     * 100, and 5 deviations of that are 49.
     */
    @Test
    void repeatedDrawsAreNoEvidence() {
        Random random = new Random(7);
        int reached = 0;
        for (int i = 0; i < 2_000; i++) {
            double passed = 0;
            for (int k = 0; k < 20; k++) {
                passed -= 20 * Math.log(1 - random.nextDouble());
            }
            reached += SiteDensity.evidence(400, passed, 20) >= 20 ? 1 : 0;
        }
        assertThat(reached).isLessThan(100 + 49);
    }

    @Test
    void damagedSectionIsRefused() {
        assertThatThrownBy(() -> notes(sites(2).density(1, 1)))
                .hasMessageContaining("section DENSITY has 1 entries for 2 sites");
        assertThatThrownBy(() -> notes(sites(1).density(-1, 1)))
                .hasMessageContaining("a count of -1");
        assertThatThrownBy(() -> notes(sites(1).density(1, -1)))
                .hasMessageContaining("a length of -65536");
    }

    /**
     * 1,000 snapshots of 50 steady sites with 1 to 400 samples each, seed 5. At most 5 % may name a
     * site: 50, and 5 deviations of that are 34.
     */
    @Test
    void steadySitesAreSeldomNamed() {
        Random random = new Random(5);
        int alarms = 0;
        for (int i = 0; i < 1_000; i++) {
            BlockWriter writer = sites(50);
            for (int site = 0; site < 50; site++) {
                int samples = 1 + random.nextInt(400);
                double passed = 0;
                for (int k = 0; k < samples; k++) {
                    passed -= Math.log(1 - random.nextDouble());
                }
                writer.density(samples, passed);
            }
            alarms += notes(writer).size() - 1;
        }
        assertThat(alarms).isLessThan(50 + 34);
    }

    /**
     * A program may end at any moment, even when it looks worst. 2,000 walks of 2,000 samples, seed
     * 6: at most 5 % of them ever reach 20, which are 100, and 5 deviations of that are 49.
     */
    @Test
    void evidenceHoldsWheneverTheProgramEnds() {
        Random random = new Random(6);
        int reached = 0;
        for (int i = 0; i < 2_000; i++) {
            double most = 0;
            double passed = 0;
            for (int found = 1; found <= 2_000; found++) {
                passed -= Math.log(1 - random.nextDouble());
                most = Math.max(most, SiteDensity.evidence(found, passed, 1));
            }
            reached += most >= 20 ? 1 : 0;
        }
        assertThat(reached).isLessThan(100 + 49);
    }
}
