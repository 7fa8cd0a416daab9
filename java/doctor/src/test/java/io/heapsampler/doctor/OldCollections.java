// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;

import io.heapsampler.HeapSnapshot;

/** Collections of the old generation, and snapshots between them, for tests of {@link SiteBook}. */
final class OldCollections {

    private OldCollections() {}

    /** The old generation is collected at the given seconds after the beginning. */
    static Story collected(int... seconds) {
        return collected(Story.serial(), seconds);
    }

    static Story collected(Story story, int... seconds) {
        for (int at : seconds) {
            while (story.now < at(at)) {
                story.second(10 * MB);
            }
            story.full(0, 10 * MB, "Allocation Failure");
        }
        return story.second(10 * MB);
    }

    static long at(long seconds) {
        return 1_000_000 + 1000 * seconds;
    }

    static Shot shot(int takenSeconds) {
        return new Shot(at(0), at(takenSeconds));
    }

    /**
     * Returns a snapshot of live objects of four ages.
     *
     * @param taken seconds after the beginning
     * @param ahead milliseconds by which the clock is set ahead
     */
    static HeapSnapshot growing(long taken, long ahead, int count) {
        Shot shot = new Shot(at(0), at(taken) + ahead);
        int site = shot.site("a.Leak", "keep", 1000.0 * count);
        for (int age = 1; age <= 4; age++) {
            shot.live(site, count / 4, 1000, at(1) + ahead, age);
        }
        return shot.take();
    }

    static SiteMetrics site(SiteBook history, String className) {
        return history.sites().stream()
                .filter(site -> site.className().equals(className))
                .findFirst()
                .orElseThrow();
    }
}
