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
import java.util.Set;
import java.util.function.Predicate;

/** The calls of the API that these tests need, by one way each. */
final class Question {

    private static final int MOST_SAMPLES = 100_000;
    private static final int SOME_SAMPLES = 200;
    private static final Duration TIME = Duration.ofSeconds(120);

    /** Still too short for {@link holders.cases.LargeArray}. */
    private static final Duration LONG_PASS = Duration.ofMillis(200);

    private static final int FIRST_WITH_SHORT_PASSES = 19;

    private final Way way;
    private final Duration pass;

    private Question(Way way, Duration pass) {
        this.way = way;
        this.pass = pass;
    }

    /** Until JDK 18 each pass also looks at all objects, so a short one is refused. */
    static Question about(Way way) {
        boolean areShort = Runtime.version().feature() >= FIRST_WITH_SHORT_PASSES;
        return new Question(way, areShort ? HeldByOptions.all().maxPause() : LONG_PASS);
    }

    /**
     * With passes that follow arrays of tens of thousands, and that are few: on a busy machine each
     * of them waits for the processor, so that short ones would not end within the time.
     */
    static Question withLongPasses(Way way) {
        return new Question(way, LONG_PASS);
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

    /** Queries all objects by a child, or else by passes that a busy machine leaves time for. */
    static HeldBy withoutOneStop(Duration time) {
        HeldByOptions options = HeldByOptions.all().maxTime(time).maxPause(LONG_PASS);
        Set<HeldBy.Way> ways = EnumSet.of(HeldBy.Way.CHILD, HeldBy.Way.PASSES);
        return HeapSampler.heldBy(FacadeAccess.by(ways, options));
    }

    private HeldByOptions limited(HeldByOptions options, int maxSamples, Duration time) {
        HeldByOptions limited = options.maxSamples(maxSamples).maxTime(time);
        Duration pause = way == Way.ONE_STOP ? TIME : pass;
        return FacadeAccess.by(EnumSet.of(way.heldBy()), limited.maxPause(pause));
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
