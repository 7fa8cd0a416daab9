// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.LeakStories.found;
import static io.heapsampler.doctor.LeakStories.growing;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The label under which the growth of a leak was allocated. */
class LeakLabelsTest {

    private static final Map<String, String> NONE = Map.of();

    private final Story story = growing(5);
    private final SiteBook book = new SiteBook();
    private final List<Held> all = new ArrayList<>();

    /** Four objects for each MiB, at one line; smaller objects stand for an interval. */
    private record Held(
            Map<String, String> labels, int mebibytes, double allocated, long size, int interval) {}

    private LeakLabelsTest hold(Map<String, String> labels, int mebibytes, double allocated) {
        all.add(new Held(labels, mebibytes, allocated * MB, MB / 4, 0));
        return this;
    }

    private LeakLabelsTest hold(Map<String, String> labels, int mebibytes) {
        return hold(labels, mebibytes, 100);
    }

    private LeakLabelsTest hold(String tenant, int mebibytes) {
        return hold(Map.of("tenant", tenant), mebibytes);
    }

    /** Takes the snapshot of a number from 1 to 4, five seconds apart. */
    private void shoot(int number) {
        Shot shot = new Shot(1_000_000, story.now + (number - 4) * 5_000L);
        for (Held each : all) {
            int site = shot.site("a.Entry", "put", each.allocated);
            if (!each.labels.isEmpty() && each.mebibytes > 0) {
                shot.labelled(site, each.labels);
            }
            shot.interval = each.interval;
            for (int age = 1; age <= 4; age++) {
                for (int i = 0; i < each.mebibytes; i++) {
                    shot.live(site, 1, each.size, 1_001_000 + i, age);
                }
            }
        }
        all.clear();
        book.add(shot.take(), story.timeline(), 0);
    }

    private List<String> said() {
        return found(story, book).evidence().stream()
                .filter(each -> each.name().equals("label.explained"))
                .map(Evidence::text)
                .toList();
    }

    private void assertNamed(String label) {
        assertThat(said())
                .singleElement()
                .asString()
                .startsWith("Of the values of labels, one explains most: " + label + " is ")
                .endsWith(" of the growth that samples show.");
    }

    @Test
    void theLabelThatGrowsIsNamed() {
        for (int i = 1; i <= 4; i++) {
            hold("acme", 20 + 8 * i).hold("t1", 40).hold(NONE, i).shoot(i);
        }
        Finding finding = found(story, book);

        assertThat(finding.sites()).extracting(SiteEvidence::metric).containsExactly("growth");
        assertThat(value(finding, "label.explained")).isCloseTo(8.0 / 9, within(0.05));
        assertNamed("tenant=acme");
        Diagnosis judged = story.judged(book);
        assertThat(judged.toText()).contains("  evidence: " + said().get(0));
        assertThat(judged.toJson()).contains("\"label.explained\"", "tenant=acme is");
        Diagnosis shown = judged.withoutLabels();
        assertThat(shown.toText() + shown.toJson()).doesNotContain("acme", "label.explained");
        assertThat(shown.toText()).isEqualTo(judged.toText().replaceAll(".*acme.*\n", ""));
    }

    @Test
    void theLabelThatHoldsMostIsNamedWhereGrowthIsNotKnown() {
        hold("acme", 60).hold("t1", 15).hold(NONE, 5).shoot(4);
        assertThat(said())
                .containsExactly(
                        "Of the values of labels, one explains most: tenant=acme is 75 % of the"
                                + " live bytes.");
    }

    /** It holds no more than its part. */
    @Test
    void theLabelUnderWhichMostIsAllocatedIsNotNamedForThat() {
        Map<String, String> acme = Map.of("tenant", "acme");
        hold(acme, 60, 600).hold(Map.of("tenant", "t1"), 15, 150).hold(NONE, 5, 50).shoot(4);
        assertThat(said()).isEmpty();
    }

    /** A large tenant that does not grow, even growth, a single tenant, and none. */
    @ParameterizedTest
    @CsvSource({"100, 0, 3, 5", "10, 3, 3, 4", "10, 8, 0, 4", "0, 0, 0, 8"})
    void noLabelIsNamedWhereNoneExplainsMostOfTheGrowth(int acme, int more, int other, int none) {
        for (int i = 1; i <= 4; i++) {
            int first = more + acme == 0 ? 0 : acme + more * i;
            hold("acme", first);
            if (other > 0) {
                hold("t1", other * i);
            }
            hold(NONE, none * i).shoot(i);
        }
        assertThat(said()).isEmpty();
    }

    // ---- What the first snapshot knows ----

    @Test
    void aTenantThatWasAloneAtFirstAndDoesNotGrowIsNotNamed() {
        for (int i = 1; i <= 4; i++) {
            if (i > 1) {
                hold("t1", 1);
            }
            hold("acme", 100).hold(NONE, 8 * i).shoot(i);
        }
        assertThat(said()).isEmpty();
    }

    @Test
    void aTenantThatWasSmallAmongManyAndDoesNotGrowIsNotNamed() {
        for (int i = 1; i <= 4; i++) {
            for (int tenant = 1; tenant <= 32; tenant++) {
                hold("t" + tenant, i == 1 ? 21 : 2);
            }
            hold("acme", 20).hold(NONE, 800 * i).shoot(i);
        }
        assertThat(said()).isEmpty();
    }

    @Test
    void aTenantThatComesLaterAndGrowsIsNamed() {
        for (int i = 1; i <= 4; i++) {
            if (i > 1) {
                hold("acme", 8 * (i - 1));
            }
            hold("t1", 40).hold(NONE, i).shoot(i);
        }
        assertNamed("tenant=acme");
    }

    @Test
    void aTenantThatHasStoppedGrowingIsNotNamed() {
        for (int i = 1; i <= 4; i++) {
            hold("acme", i == 1 ? 20 : 80).hold("t1", 1).hold(NONE, 8 * i).shoot(i);
        }
        assertThat(said()).isEmpty();
    }

    // ---- Several keys, and three values ----

    private void shootRegions(boolean hasTenants) {
        for (int i = 1; i <= 4; i++) {
            Map<String, String> eu = Map.of("region", "eu");
            hold(hasTenants ? Map.of("region", "eu", "tenant", "acme") : eu, 8 * i);
            hold(hasTenants ? Map.of("region", "eu", "tenant", "t1") : eu, 40 + i);
            hold(hasTenants ? Map.of("region", "eu", "tenant", "t2") : eu, 10);
            hold(Map.of("region", "us"), 1, 1).shoot(i);
        }
    }

    @Test
    void aValueUnderWhichNearlyAllIsAllocatedDoesNotHideAnother() {
        shootRegions(true);
        assertNamed("tenant=acme");
    }

    @Test
    void aValueUnderWhichNearlyAllIsAllocatedIsNotNamed() {
        shootRegions(false);
        assertThat(said()).isEmpty();
    }

    // ---- Samples that stand for others ----

    @Test
    void theShareHasTheErrorOfItsSamples() {
        for (int i = 1; i <= 4; i++) {
            all.add(new Held(Map.of("tenant", "acme"), 8 * i, 100.0 * MB, 16, (int) MB / 4));
            all.add(new Held(Map.of("tenant", "t1"), 20 + i, 100.0 * MB, 16, (int) MB / 4));
            hold("t2", 5).hold(NONE, 5).shoot(i);
        }
        assertNamed("tenant=acme");
        assertThat(said().get(0)).contains(" % ± ");
    }

    /** Eight samples stand for 32 MiB, and others for 12. */
    @Test
    void aTenantOfTooFewSamplesIsNotNamed() {
        for (int i = 1; i <= 4; i++) {
            all.add(new Held(Map.of("tenant", "acme"), i / 2, 100.0 * MB, 16, 4 * (int) MB));
            hold("t1", 1).hold(NONE, 3 * i).shoot(i);
        }
        assertThat(found(story, book).sites())
                .extracting(SiteEvidence::metric)
                .containsExactly("growth");
        assertThat(said()).isEmpty();
    }
}
