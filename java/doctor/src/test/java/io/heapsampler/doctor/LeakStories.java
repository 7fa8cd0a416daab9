// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;

/** Growing heaps, for the tests of leaks. */
final class LeakStories {
    private LeakStories() {}

    /** Eleven old collections, so far apart; 8 MiB more are live after each. */
    static Story growing(int seconds) {
        Story story = Story.serial();
        for (int i = 1; i <= 11; i++) {
            story.seconds(seconds, 20 * MB).old += 40 * MB;
            story.full(0, i * 8 * MB, "Allocation Failure");
        }
        return story;
    }

    /** Objects of the given number of ages in collections, with the given number of each age. */
    static SiteBook holding(Story story, int ages, int each, long bornMillis) {
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, story.now);
        int site = shot.site("byte[]", "keep", 480.0 * MB);
        for (int age = 1; age <= ages; age++) {
            shot.live(site, each, MB, bornMillis, age);
        }
        book.add(shot.take(), story.timeline(), 0);
        return book;
    }

    static Finding found(Story story, SiteBook book) {
        return story.second(0).judged(book).finding("leak.growth").orElseThrow();
    }
}
