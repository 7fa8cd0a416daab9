// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.FacadeAccess;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Predicate;

/** The calls of the API that these tests need, by one way each. */
final class Question {

    private static final int MOST_SAMPLES = 100_000;
    private static final int SOME_SAMPLES = 200;
    private static final Duration TIME = Duration.ofSeconds(120);

    private final Way way;

    private Question(Way way) {
        this.way = way;
    }

    static Question about(Way way) {
        return new Question(way);
    }

    /** Returns a snapshot in which all that is alive is confirmed. */
    static HeapSnapshot snapshot() {
        return HeapSampler.snapshot(SnapshotOptions.afterGc());
    }

    /** Queries the objects that code of a class, or of a package, has made. */
    HeldBy madeBy(HeapSnapshot snapshot, String prefix) {
        return madeBy(snapshot, prefix, MOST_SAMPLES);
    }

    HeldBy madeBy(HeapSnapshot snapshot, String prefix, int maxSamples) {
        Predicate<HeapSite> isChosen =
                site ->
                        site.stack().stream()
                                .anyMatch(frame -> frame.toString().startsWith(prefix));
        List<HeapSite> sites = snapshot.sites().stream().filter(isChosen).toList();
        return snapshot.heldBy(limited(HeldByOptions.ofSites(sites), maxSamples, TIME));
    }

    /** Queries all objects. */
    HeldBy askAll(Duration time) {
        return HeapSampler.heldBy(limited(HeldByOptions.all(), MOST_SAMPLES, time));
    }

    /** Queries some objects. */
    HeldBy askSome(Duration time) {
        return HeapSampler.heldBy(limited(HeldByOptions.all(), SOME_SAMPLES, time));
    }

    private HeldByOptions limited(HeldByOptions options, int maxSamples, Duration time) {
        HeldByOptions limited = options.maxSamples(maxSamples).maxTime(time);
        HeldByOptions paused = way == Way.ONE_STOP ? limited.maxPause(TIME) : limited;
        return FacadeAccess.by(EnumSet.of(way.heldBy()), paused);
    }

    static boolean wentBy(HeldBy held, Way way) {
        return held.way() == way.heldBy();
    }

    /** Returns figures for a reader. */
    static String figures(HeldBy held) {
        return "way="
                + held.way()
                + " pause="
                + held.longestPause()
                + " time="
                + held.time()
                + " notes="
                + held.notes();
    }
}
