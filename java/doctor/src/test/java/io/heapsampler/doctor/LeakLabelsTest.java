// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.LeakStories.found;
import static io.heapsampler.doctor.LeakStories.growing;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The label under which the growth of a leak was allocated. */
class LeakLabelsTest {

    private final Story story = growing(5);
    private final SiteBook book = new SiteBook();

    /**
     * Two tenants hold MiB at one line, each object of one MiB; others hold as many without one.
     */
    private void shoot(long atMillis, String key, int acme, int other, int none) {
        Shot shot = new Shot(1_000_000, atMillis);
        int[] held = {acme, other, none};
        for (int i = 0; i < held.length; i++) {
            int site = shot.site("a.Entry", "put", held[i] * (double) MB);
            String tenant = i == 0 ? "acme" : "t" + i;
            if (i < 2 && held[i] > 0) {
                shot.labelled(site, key, tenant);
            }
            for (int age = 1; age <= 4; age++) {
                shot.live(site, held[i], MB / 4, 1_001_000, age);
            }
        }
        book.add(shot.take(), story.timeline(), 0);
    }

    private List<String> said() {
        return found(story, book).evidence().stream()
                .filter(each -> each.name().equals("label.explained"))
                .map(Evidence::text)
                .toList();
    }

    @Test
    void theLabelThatGrowsIsNamed() {
        for (int i = 1; i <= 4; i++) {
            shoot(story.now + (i - 4) * 5_000L, "tenant", 20 + 8 * i, 40, 4 * i);
        }
        Finding finding = found(story, book);

        assertThat(finding.sites()).extracting(SiteEvidence::metric).containsExactly("growth");
        assertThat(value(finding, "label.explained")).isCloseTo(1, within(0.05));
        assertThat(said())
                .singleElement()
                .asString()
                .startsWith("Of the values of labels, one explains most: tenant=acme is ")
                .endsWith(" of the growth.");
        Diagnosis judged = story.judged(book);
        assertThat(judged.toText()).contains("  evidence: " + said().get(0));
        assertThat(judged.toJson()).contains("\"label.explained\"", "tenant=acme is");
    }

    @Test
    void theLabelThatHoldsMostIsNamedWhereGrowthIsNotKnown() {
        shoot(story.now, "tenant", 60, 15, 5);
        assertThat(said())
                .containsExactly(
                        "Of the values of labels, one explains most: tenant=acme is 75 % of the"
                                + " live bytes.");
    }

    /** A large tenant that does not grow, even growth, a single tenant, and none. */
    @ParameterizedTest
    @CsvSource({"100, 0, 3, 5", "10, 3, 3, 4", "10, 8, 0, 4", "0, 0, 0, 8"})
    void noLabelIsNamedWhereNoneExplainsMostOfTheGrowth(int acme, int more, int other, int none) {
        for (int i = 1; i <= 4; i++) {
            int first = more + acme == 0 ? 0 : acme + more * i;
            shoot(story.now + (i - 4) * 5_000L, "tenant", first, other * i, none * i);
        }
        assertThat(said()).isEmpty();
    }
}
