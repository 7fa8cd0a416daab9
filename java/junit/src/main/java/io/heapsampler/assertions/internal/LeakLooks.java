// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The live objects of each site, as seen after a collection at some moments between runs: the looks
 * of a trial.
 */
final class LeakLooks {

    private final Scope scope;
    private final OwnCode ownCode;
    private final int most;
    private final int[] runs;
    private final long[] micros;
    private final Map<Leak.Site, LiveSeries> sites = new LinkedHashMap<>();

    /** By class, what was recorded of the harness and of the code. */
    private final Map<String, LiveSeries> classes = new HashMap<>();

    private final JvmStrings strings = new JvmStrings();
    private int count;

    /**
     * Has seen nothing yet.
     *
     * @param most how many looks there can be
     */
    LeakLooks(Scope scope, OwnCode ownCode, int most) {
        this.scope = scope;
        this.ownCode = ownCode;
        this.most = most;
        this.runs = new int[most];
        this.micros = new long[most];
    }

    /** Adds a look, after the given number of runs. */
    void add(HeapSnapshot snapshot, int run) {
        runs[count] = run;
        micros[count] = micros(snapshot.takenAt());
        boolean isThinned = Drops.isThinned(snapshot);
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            Leak.Site place = place(site);
            HeapAmount live = site.live();
            double objects = live.objects().value();
            double bytes = live.bytes().value();
            if (place != null) {
                sites.computeIfAbsent(place, key -> new LiveSeries(most))
                        .add(count, objects, bytes);
            }
            boolean isExplained = place == null ? !isLost(site) : place.isOfCode();
            if (isExplained && objects > 0) {
                // the first sample of an older thread stands for more than itself
                boolean isWeighted = isThinned && Frames.isCalled(site);
                double part = isWeighted ? 1 : live.objects().samples() / objects;
                classes.computeIfAbsent(
                                JvmCommand.withoutNumber(site.className()),
                                key -> new LiveSeries(most))
                        .add(count, part * objects, part * bytes);
            }
        }
        count++;
    }

    /** Forgets the last look, to take it anew. */
    void removeLast() {
        count--;
        sites.values().forEach(series -> series.clear(count));
        classes.values().forEach(series -> series.clear(count));
    }

    /** Forgets all looks, where another recording takes over. */
    void clear() {
        count = 0;
        sites.clear();
        classes.clear();
        Arrays.fill(runs, 0);
    }

    /** Returns the place of a site of a snapshot; null if it does not count. */
    Leak.@Nullable Site place(HeapSite site) {
        boolean isCalled = Frames.isCalled(site);
        boolean isTest = scope.threads() != ThreadScope.ALL;
        if (Frames.isOfEngine(site) || (isTest && !isCalled && !Frames.isCut(site))) {
            return null; // between two runs
        }
        if (strings.areAt(site)) {
            return null;
        }
        List<StackTraceElement> stack = Frames.ofCode(site.stack());
        // isTuning looks at each frame, so it comes last
        return stack == null
                        || isLost(site, stack)
                        || !scope.accepts(site.className(), stack)
                        || JvmWork.isTuning(site.stack())
                ? null
                : new Leak.Site(site.className(), stack, ownCode, isCalled);
    }

    /** Is something alive of which it is not known from where it is, or whether it counts? */
    boolean hasLost(HeapSnapshot snapshot) {
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            if (isLost(site)) {
                return true;
            }
        }
        return false;
    }

    private boolean isLost(HeapSite site) {
        List<StackTraceElement> stack = Frames.ofCode(site.stack());
        return stack != null && isLost(site, stack);
    }

    private boolean isLost(HeapSite site, List<StackTraceElement> stack) {
        return site.isOther()
                || (Frames.isCut(site) && scope.dependsOnMore(site.className(), stack));
    }

    /** How many there have been. */
    int count() {
        return count;
    }

    /** How often the code had been run at a look. */
    int run(int look) {
        return runs[look];
    }

    /** Returns the first look that was taken after a moment; {@link #count} if none was. */
    int lookAfter(Instant moment) {
        long micro = micros(moment);
        int look = 0;
        while (look < count && micros[look] < micro) {
            look++;
        }
        return look;
    }

    private static long micros(Instant moment) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
    }

    List<Leak.Site> sites() {
        return new ArrayList<>(sites.keySet());
    }

    LiveSeries of(Leak.Site site) {
        return Objects.requireNonNull(sites.get(site));
    }

    /** Returns the recorded objects of a class that the harness or the code has made. */
    LiveSeries ofClass(String className) {
        return classes.getOrDefault(className, new LiveSeries(most));
    }

    /**
     * Recognises strings that the JVM makes itself: names of classes, and the constants of a class,
     * which are made when an instruction first needs one, or all together when a method is
     * compiled. So they appear now and then, at a line that allocates nothing, and are no leak of
     * the code there. Not thread-safe.
     */
    static final class JvmStrings {

        private static final Set<String> CLASSES = Set.of("java.lang.String", "byte[]");

        private final JvmShare share = JvmShare.ofNothing();

        /** What is known of a line, for each class. */
        private final Map<String, Map<HeapFrame, Boolean>> known = new HashMap<>();

        /** Are the objects of a site such strings? */
        boolean areAt(HeapSite site) {
            String className = site.className();
            if (!CLASSES.contains(className) || site.stack().isEmpty()) {
                return false;
            }
            return known.computeIfAbsent(className, key -> new HashMap<>())
                    .computeIfAbsent(site.stack().get(0), leaf -> share.isMadeByVm(site));
        }
    }
}
