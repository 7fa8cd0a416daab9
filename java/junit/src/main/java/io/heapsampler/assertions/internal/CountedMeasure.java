// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import io.heapsampler.assertions.internal.Rule.Layer;
import io.heapsampler.internal.shared.ByteText;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own count. A recording beside it explains it. Where the recording has every allocation,
 * it also shows the JVM's own allocations, which are then subtracted.
 *
 * <p>Where all threads count, the count of the others can miss a thread that is just ending. So
 * there the run is always recorded, and what was surely allocated according to the samples is the
 * least that counts.
 */
final class CountedMeasure implements Measure {

    private static final String HOW_SAMPLED =
            "the least that samples prove, which is more than the JVM counted, ";

    static final String AROUND =
            "other threads allocated just before or after the run, and the bytes set aside may"
                    + " include some of theirs";

    private static final String UNSEEN =
            "no sample shows some of these bytes, which may be the harness's";

    private final @Nullable LongSupplier others;
    private final Scope scope;
    private final long limit;
    private final long interval;
    private final Window window;

    /**
     * Creates a measure.
     *
     * @param counter counts bytes of the calling thread
     * @param others counts those of all other threads; null if they do not count
     * @param limit up to which nothing but the count matters
     * @param interval bytes between two samples; 0 to tell what the JVM itself allocates
     */
    CountedMeasure(
            LongSupplier counter,
            @Nullable LongSupplier others,
            Scope scope,
            long limit,
            long interval) {
        this.others = others;
        this.scope = scope;
        this.limit = limit;
        this.interval = interval;
        this.window = new Window(counter);
    }

    /**
     * What the JVM counted.
     *
     * @param raw bytes of the calling thread, with those of the harness
     * @param net the same without those of the harness
     * @param others bytes of other threads
     * @param around more bytes of other threads, which may be recorded: from before the recording
     *     opened to its end
     */
    private record Count(long raw, long net, long others, long around) {

        boolean isWithin(long limit) {
            return raw + others <= limit;
        }
    }

    @Override
    public Measured once(Subject subject) throws Throwable {
        window.begin(subject);
        long opening = ofOthers();
        Evidence evidence = evidenceIfAny();
        try {
            long start = ofOthers();
            long raw = window.raw(subject);
            long during = ofOthers() - start;
            if (evidence != null) {
                evidence.stop();
            }
            long around = ofOthers() - opening - during;
            long net = window.net(raw, subject);
            return figure(new Count(raw, net, during, around), evidence);
        } catch (Throwable e) {
            if (evidence != null) {
                evidence.close();
            }
            throw e;
        }
    }

    private long ofOthers() {
        return others == null ? 0 : others.getAsLong();
    }

    private Measured figure(Count count, @Nullable Evidence evidence) {
        String how = window.isSure() ? "exact, the JVM's own count " : "the JVM's own count ";
        how += scope.describe() + subtracted(window.harness());
        Measured figure = window.widen(Measured.exact(count.net + count.others, how, evidence));
        if (evidence == null) {
            return figure;
        }
        // Calls may cost less than when that was measured, which would hide some of the code's.
        if (interval == 0 && !count.isWithin(limit)) {
            figure = withoutShare(count, evidence);
        }
        if (others != null) {
            long least = leastOf(evidence);
            if (least > figure.high()) {
                figure = Measured.exact(least, HOW_SAMPLED + scope.describe(), evidence);
            }
        }
        if (figure.isWithin(limit)) {
            evidence.close(); // there is nothing to explain
            return Measured.exact((long) figure.bytes(), figure.how(), null);
        }
        return figure;
    }

    @Override
    public Layer layer() {
        return Layer.COUNT;
    }

    /** The count without the bytes that samples attribute to the harness and to the JVM itself. */
    private Measured withoutShare(Count count, Evidence evidence) {
        JvmShare share = JvmShare.sum(evidence.snapshot(), count.raw);
        long harness = share.harness();
        String how =
                "exact, the JVM's own count "
                        + scope.describe()
                        + subtracted(harness)
                        + share.describe();
        long bytes = Math.max(0, count.raw + count.others - harness - share.bytes());
        Measured figure = Measured.exact(bytes, how, evidence);
        long unseen = Math.min(share.unseen(), Math.max(0, window.most() - harness));
        if (unseen > 0) {
            figure = figure.widened(figure.low() - unseen, figure.high(), UNSEEN, Window.HELP);
        }
        double unsure = Math.min((double) count.around, share.ofOtherThreads());
        return unsure <= 0
                ? figure
                : figure.widened(figure.low(), bytes + unsure, AROUND, InheritedMeasure.ALONE);
    }

    /** The bytes that samples prove, without the JVM's own if every allocation is one. */
    private long leastOf(Evidence evidence) {
        HeapSnapshot snapshot = evidence.snapshot();
        JvmShare share = JvmShare.of(snapshot);
        List<SiteFigures> sites =
                SiteFigures.of(snapshot, scope, site -> interval == 0 && share.kind(site) != null);
        Estimate sum = SiteFigures.sum(sites, SiteFigures::allocated);
        Measured figure = Measured.of(sum, interval, "", evidence);
        return (long) Drops.ofStacks(snapshot, scope, HeapSite::allocated, figure).low();
    }

    private static String subtracted(long harness) {
        return harness == 0 ? "" : "; " + ByteText.exact(harness) + " of the harness subtracted";
    }

    private @Nullable Evidence evidenceIfAny() {
        try {
            return Evidence.open(scope, interval);
        } catch (NotMeasuredException e) {
            return null; // the verdict does not need it
        }
    }

    /** The tightest bracket around a run: nothing but the code lies between the two readings. */
    static final class Window {

        /** So often the harness is measured after each run, and before the first. */
        private static final int CALIBRATIONS = 5;

        private static final String REASON =
                "the JVM compiled the harness meanwhile, so some of these bytes may be the"
                        + " harness's";

        static final String HELP = "Repeat the test (minOf = 2 or more).";

        private final LongSupplier counter;

        /** What the harness has cost at least. */
        private long harness = Long.MAX_VALUE;

        /** The same just before the first run; -1 for later ones. */
        private long before = -1;

        private long subtracted;
        private long most;
        private long unsure;

        /**
         * Creates a window.
         *
         * @param counter counts bytes of the calling thread
         */
        Window(LongSupplier counter) {
            this.counter = counter;
        }

        /**
         * Measures the harness before the first run. Best done before a recording is open, which
         * would record that.
         */
        void begin(Subject subject) throws Throwable {
            before = subject.runs() == 0 ? least(subject.empty(), Long.MAX_VALUE) : -1;
        }

        /** Runs the subject and returns its bytes with those of the harness. */
        long raw(Subject subject) throws Throwable {
            return raw((ThrowingRunnable) subject);
        }

        /** Returns the bytes without those of the harness, 0 or more. */
        long net(long raw, Subject subject) throws Throwable {
            harness = least(subject.empty(), harness);
            subtracted = before < 0 ? harness : Math.min(before, harness);
            long bytes = Math.max(0, raw - subtracted);
            most = Math.max(before, harness);
            unsure = bytes - Math.max(0, raw - most);
            if (subject.isFirst()) {
                harness = Long.MAX_VALUE; // later runs go another way
            }
            return bytes;
        }

        /** What was subtracted last. */
        long harness() {
            return subtracted;
        }

        /** What of the last run the harness may have cost. */
        long most() {
            return most;
        }

        /** Is all of the last figure the code's? */
        boolean isSure() {
            return unsure == 0;
        }

        /**
         * Allows for what of the last figure may be the harness's: some of it, if the JVM compiled
         * that, or gave up what it had compiled, at a moment between before and after the first
         * run.
         */
        Measured widen(Measured figure) {
            return isSure()
                    ? figure
                    : figure.widened(figure.low() - unsure, figure.high(), REASON, HELP);
        }

        /** The least of some measurements: it can become less as the JVM compiles. */
        private long least(ThrowingRunnable empty, long known) throws Throwable {
            long least = known;
            for (int i = 0; i < CALIBRATIONS && least > 0; i++) {
                least = Math.min(least, raw(empty));
            }
            return least;
        }

        private long raw(ThrowingRunnable code) throws Throwable {
            Overhead overhead = Overhead.current();
            long inner = overhead.own;
            long start = counter.getAsLong();
            code.run();
            long end = Subject.read(counter);
            if (end < 0) {
                throw new NotMeasuredException(Counters.SWITCHED_OFF);
            }
            return end - start - (overhead.own - inner);
        }
    }
}
