// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.LeakStories.found;
import static io.heapsampler.doctor.LeakStories.growing;
import static io.heapsampler.doctor.LeakStories.holding;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Growth that only soft references may hold. */
class LeakSoftlyTest {

    /** Softly reachable memory of most of the growth is a cache. */
    @Test
    void aWarningWaitsForTheSearchThatShowsWhatIsSoftlyReachable() {
        Story story = growing(12);
        SiteBook book = holding(story, 4, 20, 1_001_000);
        Finding warning = found(story, book);
        assertThat(warning.severity()).isEqualTo(Severity.WARNING);

        book.canSearchHolders = true;
        Finding waiting = found(story, book);
        assertThat(waiting.severity()).isEqualTo(Severity.INFO);
        assertThat(value(waiting, HoldersLook.SOFT_AWAITED)).isEqualTo(1);

        book.softly = new Softly(warning.sites(), 0.9);
        Finding soft = found(story, book);
        assertThat(soft.severity()).isEqualTo(Severity.INFO);
        assertThat(value(soft, "soft.share")).isEqualTo(0.9);
        book.canSearchHolders = false; // What is known stays known.
        assertThat(found(story, book).severity()).isEqualTo(Severity.INFO);

        book.softly = new Softly(warning.sites(), 0.1);
        assertThat(found(story, book).severity()).isEqualTo(Severity.WARNING);
        book.canSearchHolders = true;
        assertThat(found(story, book).severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void whatOtherLinesHoldSoftlySaysNothingOfTheseLines() {
        Story story = growing(12);
        SiteBook book = holding(story, 4, 20, 1_001_000);
        SiteEvidence site = found(story, book).sites().get(0);
        SiteEvidence other =
                new SiteEvidence("shop.Other", List.of(), "live", site.estimate(), "bytes");
        book.softly = new Softly(List.of(other), 1);
        assertThat(found(story, book).severity()).isEqualTo(Severity.WARNING);
        book.canSearchHolders = true;
        assertThat(found(story, book).severity()).isEqualTo(Severity.INFO);
    }

    /** It may be full before a search ends. */
    @Test
    void nothingIsAwaitedWhileTheHeapFillsWithinSeconds() {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(2, 60 * MB).old += 40 * MB;
            story.full(20, i * 20 * MB, "Allocation Failure");
        }
        SiteBook book = holding(story, 4, 20, 1_001_000);
        book.canSearchHolders = true;
        Finding found = found(story, book);
        assertThat(found.severity()).isNotEqualTo(Severity.INFO);
        assertThat(value(found, "soft.unknown")).isEqualTo(1);
    }

    /** 220 of 256 MiB are live, with 10 more each 12 s; full pauses then free nothing. */
    private static Finding inVain(int pauses, long freed) {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(12, 60 * MB).old += 40 * MB;
            story.full(20, (110 + i * 10) * MB, "Ergonomics");
        }
        for (int i = 0; i < pauses; i++) {
            story.second(MB).young(1, freed);
            story.full(20, 220 * MB, "Ergonomics");
        }
        SiteBook book = holding(story, 4, 20, 1_001_000);
        book.canSearchHolders = true;
        return found(story, book);
    }

    @Test
    void nothingIsAwaitedAfterTwoFullPausesInVain() {
        assertThat(value(inVain(1, MB), HoldersLook.SOFT_AWAITED)).isEqualTo(1);
        assertThat(inVain(1, MB).severity()).isEqualTo(Severity.INFO);
        assertThat(value(inVain(2, MB), "soft.unknown")).isEqualTo(1);
        assertThat(inVain(2, MB).severity()).isNotEqualTo(Severity.INFO);
        assertThat(inVain(2, 20 * MB).severity()).isEqualTo(Severity.INFO);
    }
}
