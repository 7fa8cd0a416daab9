// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The doctor keeps a bounded number of sites for any application. */
class SiteBoundsTest {

    private static final int SITES = 10_000;
    private static final int DEPTH = 64;

    private final SiteBook book = new SiteBook();
    private final Random random = new Random(1);

    private static long at(long seconds) {
        return 1_000_000 + 1000 * seconds;
    }

    /** No two frames alike, and hardly two samples. */
    private HeapSnapshot huge(int takenSeconds, int sites, int samples) {
        Shot shot = new Shot(at(0), at(takenSeconds));
        int[] all = new int[sites];
        for (int i = 0; i < sites; i++) {
            all[i] = shot.deepSite("com.example.app.C" + i, "s" + i, DEPTH, 1e6);
        }
        for (int i = 0; i < samples; i++) {
            long born = at(0) + random.nextInt(1000 * takenSeconds);
            shot.live(all[i % sites], 1, 16 + random.nextInt(1 << 20), born, random.nextInt(9));
        }
        return shot.take();
    }

    /**
     * With the default depth of 64, of which 17 frames are kept where the first is one of the
     * application. No two frames and no two names are alike.
     */
    @Test
    void noApplicationIsTooLarge() {
        Story story = Story.serial();
        for (int i = 1; i <= 3; i++) {
            HeapSnapshot snapshot = huge(60 * i, SITES, 20_000);
            book.add(snapshot, story.timeline(), 0);
            book.addCloser(snapshot, true);
        }
        KeptBytes kept = new KeptBytes();
        book.sites().forEach(site -> kept.add(site.className(), site.stack()));
        assertThat(book.sites()).hasSize(512);
        assertThat(kept.sum()).isBetween(1L << 20, 3L << 20);
        assertThat(book.closer(true)).hasSize(512);
        Diagnosis diagnosis = story.second(0).judged(book);
        assertThat(diagnosis.notes())
                .anyMatch(it -> it.startsWith("The growth of sites is not computed: "));
    }

    @Test
    void aStackIsKeptToSomeFramesBeyondTheFirstOfTheApplication() {
        Shot shot = new Shot(at(0), at(60));
        shot.deepSite("a.C", "deep", 64, 1e6);
        book.add(shot.take(), Story.serial().timeline(), 0);

        assertThat(book.sites().get(0).stack()).hasSize(1 + Places.BEYOND);
    }

    @Test
    void whatHasRoomIsNotAnnounced() {
        for (int i = 1; i <= 4; i++) {
            book.add(huge(60 * i, 20, 100), Story.serial().timeline(), 0);
        }
        assertThat(book.notes()).isEmpty();
        assertThat(book.growth.snapshots.size()).isEqualTo(4);
    }

    /** The default limit of tracked samples. */
    @Test
    void growthIsComputedFromSnapshotsOfManySamples() {
        for (int i = 1; i <= 20; i++) {
            Shot shot = new Shot(at(0), at(60 * i));
            int site = shot.deepSite("a.Leak", "leak", DEPTH, 1e6);
            for (int j = 0; j < 12_000 + 200 * i; j++) {
                long born = at(0) + random.nextInt(60_000 * i);
                shot.live(site, 1, 16 + random.nextInt(1 << 20), born, random.nextInt(9));
            }
            book.add(shot.take(), Story.serial().timeline(), 0);
        }
        assertThat(book.notes()).isEmpty();
        assertThat(book.growth.snapshots.size()).isGreaterThanOrEqualTo(3);
        assertThat(book.growth.growing())
                .singleElement()
                .matches(it -> it.className().equals("a.Leak"));
        assertThat(book.growth.growing())
                .singleElement()
                .matches(it -> it.className().equals("a.Leak"));
    }

    /** A frame knows nothing of its snapshot, the list of all of them does. */
    @Test
    void noSnapshotIsHeld() throws InterruptedException {
        Story story = Story.serial().full(0, MB, "Allocation Failure").second(MB);
        long full = story.timeline().collections().get(0).atMillis();
        List<WeakReference<Object>> frames = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Shot shot = new Shot(full - 2_000, full + 60_000 * i);
            int leak = shot.deepSite("a.Leak", "leak" + (i > 1), DEPTH, 1e6);
            shot.live(leak, 1_000 * i, 1_000, full - 500, 3);
            HeapSnapshot snapshot = shot.take();
            frames.add(new WeakReference<>(snapshot.frames()));
            book.add(snapshot, story.timeline(), 0);
            if (i == 1) { // What was promoted is known of a site that later snapshots lack.
                assertThat(book.sites().get(0).reachedOld().value()).isPositive();
            }
            book.addCloser(snapshot, true);
            book.growth.growing();
        }
        until(
                "all are gone",
                () -> {
                    System.gc();
                    return frames.stream().allMatch(it -> it.get() == null);
                });
        assertThat(book.sites()).isNotEmpty();
    }

    /** Of 512 sites with stacks as they are, most of which they share, none is left out. */
    @Test
    void anOrdinaryApplicationHasRoom() {
        Shot shot = new Shot(at(0), at(60));
        for (int i = 0; i < 512; i++) {
            shot.live(shot.site("a.C" + i, "make" + i, 1000), 1, 1000, at(5), 1);
        }
        book.add(shot.take(), Story.serial().timeline(), 0);

        assertThat(book.notes()).isEmpty();
        assertThat(book.sites()).extracting(SiteMetrics::className).hasSize(512);
    }
}
