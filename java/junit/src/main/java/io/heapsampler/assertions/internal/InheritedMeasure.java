// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import io.heapsampler.assertions.internal.CountedMeasure.Window;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calling thread and those created meanwhile. The former is counted by the JVM if all of it
 * counts, the latter are recorded. Where strangers created threads too, only the upper bound counts
 * these. The JVM's share is known for all threads together, so what other threads allocated
 * meanwhile bounds how much of it may be theirs.
 */
final class InheritedMeasure implements Measure {

    static final String ALONE = "Run nothing else beside it.";

    static final String OTHERS =
            "other threads allocated meanwhile, and the bytes set aside may include some of theirs";

    private final Scope scope;
    private final long interval;
    private final @Nullable LongSupplier counter;
    private final @Nullable LongSupplier total;

    InheritedMeasure(
            Scope scope,
            long interval,
            @Nullable LongSupplier counter,
            @Nullable LongSupplier total) {
        this.scope = scope;
        this.interval = interval;
        this.counter = scope.isWhole() ? counter : null;
        this.total = total;
    }

    @Override
    public Measured once(Subject subject) throws Throwable {
        Evidence evidence = Evidence.open(scope, interval);
        Descendants descendants = new Descendants();
        boolean isDone = false;
        try {
            Carriers carriers = Carriers.others(scope);
            LongSupplier all = total;
            long before = all == null ? 0 : all.getAsLong();
            LongSupplier here = counter;
            Window window = here == null ? null : new Window(here, true);
            Own own = run(subject, descendants, window);
            carriers.end();
            double most =
                    all == null ? Double.POSITIVE_INFINITY : (double) (all.getAsLong() - before);
            evidence.stop();
            HeapSnapshot snapshot = evidence.snapshot();
            isDone = true;
            Measured figure = carriers.widen(measured(snapshot, descendants, own, evidence));
            figure = window == null ? figure : window.widen(figure);
            return descendants.hasVirtual() ? bounded(figure, most) : figure;
        } finally {
            if (!isDone) {
                evidence.close();
            }
        }
    }

    /**
     * Bytes of this thread according to the JVM; 0 if it does not count them.
     *
     * @param raw with those of the harness
     * @param net without
     */
    private record Own(long raw, long net) {}

    private static Own run(Subject subject, Descendants descendants, @Nullable Window window)
            throws Throwable {
        descendants.begin();
        try {
            if (window != null) {
                window.begin(subject);
                long raw = window.raw(subject);
                return new Own(raw, window.net(raw, subject));
            }
            subject.run();
            return new Own(0, 0);
        } finally {
            descendants.end();
        }
    }

    private Measured measured(
            HeapSnapshot snapshot, Descendants descendants, Own own, Evidence evidence) {
        Estimate children = Estimate.of(0, 0, 0, 0);
        Estimate seenHere = children;
        Estimate others = children;
        for (ThreadTotals thread : snapshot.threads()) {
            Estimate bytes = thread.allocated().bytes();
            OptionalLong id = thread.threadId();
            if (id.isEmpty()) {
                continue; // Drops adds those without an id.
            }
            if (id.getAsLong() == idOfThis()) {
                seenHere = bytes;
            } else if (descendants.mayInclude(id.getAsLong())) {
                children = children.plus(bytes);
            } else {
                others = others.plus(bytes);
            }
        }
        OwnThread here = ownThread(snapshot, descendants, own.net, seenHere);
        long samples = children.plus(here.bytes()).samples();
        String how = SampledMeasure.how(interval, samples, scope);
        Measured all = Measured.of(here.bytes().plus(children), interval, how, evidence);
        if (descendants.strangers() > 0) {
            double alone = Measured.of(here.bytes(), interval, how, evidence).low();
            all = all.widened(alone, all.high(), strangers(descendants.strangers()), ALONE);
        }
        if (here.unsure() > 0) {
            all = all.widened(all.low() - here.unsure(), all.high(), OwnThread.REASON, here.help());
        }
        if (interval == 0
                && scope.isWhole()) { // among some classes, what tells the share is missing
            all = withoutShare(all, JvmShare.sum(snapshot, own.raw), others.value());
        }
        return Drops.ofAllocated(snapshot, Drops.ofThreads(snapshot, interval, all));
    }

    private static Measured withoutShare(Measured all, JvmShare share, double others) {
        Measured figure = all.without(share.bytes(), share.describe());
        double unsure = Math.min((double) share.bytes(), others);
        return unsure <= 0
                ? figure
                : figure.widened(figure.low(), figure.high() + unsure, OTHERS, ALONE);
    }

    /** Counted if possible, else separated from the harness. */
    private OwnThread ownThread(
            HeapSnapshot snapshot, Descendants descendants, long own, Estimate seen) {
        LongSupplier exact = counter;
        if (exact == null) {
            return OwnThread.of(snapshot, seen);
        }
        double cost = (double) descendants.created() * Descendants.costOfOne(exact);
        return OwnThread.counted(Math.max(0, own - cost));
    }

    /**
     * A virtual thread runs on a carrier that may be older than the recording, and of which the
     * first allocations are not seen. So it allocated at most what all threads together did.
     */
    static Measured bounded(Measured figure, double most) {
        double high = Math.max(figure.high(), most);
        String reason =
                high == Double.POSITIVE_INFINITY
                        ? "with virtual threads it is unknown how much more it is"
                        : "with virtual threads it is at most what the JVM counted in all threads, "
                                + ByteSize.format(high);
        return figure.widened(figure.low(), high, reason, ALONE);
    }

    static String strangers(long threads) {
        return String.format(
                Locale.ROOT,
                "other tests created %,d threads meanwhile, which cannot be told apart",
                threads);
    }

    @Override
    public Measure better(Measured undecided, long limit) {
        return new InheritedMeasure(scope, 0, counter, total);
    }

    @Override
    public Trial.Layer layer() {
        return Trial.Layer.SAMPLES;
    }

    /** Only one at a time shows which threads the code starts. */
    @Override
    public boolean isSociable() {
        return false;
    }

    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, and answers the same.
    private static long idOfThis() {
        return Thread.currentThread().getId();
    }

    /**
     * What the measured code allocated in the calling thread, from samples. Those of the thread are
     * summed up with the harness's, those of sites with other threads', in which other assertions
     * may run. So it is at most the lesser of both sums; where nothing else is measured, the sites
     * tell it exactly.
     *
     * @param bytes the maximum that it can be, except for the error of the estimate
     * @param unsure how much of that may be the harness's: 0, or 1 byte and more
     * @param isCut whether that is because of stacks that are cut
     */
    record OwnThread(Estimate bytes, double unsure, boolean isCut) {

        static final String REASON =
                "other assertions, or stacks that are cut, hide how much the harness itself"
                        + " allocated";

        /** Exact bytes. */
        static OwnThread counted(double bytes) {
            return new OwnThread(Estimate.of(bytes, 0, bytes, 0), 0, false);
        }

        /** What would make it more certain. */
        String help() {
            return isCut ? CutStacks.HELP : InheritedMeasure.ALONE;
        }

        /**
         * Tells it apart.
         *
         * @param thread all that was seen of the thread
         */
        static OwnThread of(HeapSnapshot snapshot, Estimate thread) {
            Estimate code = Estimate.of(0, 0, 0, 0);
            Estimate harness = code;
            boolean isCut = false;
            for (HeapSite site : snapshot.sites()) {
                Estimate bytes = site.allocated().bytes();
                if (Frames.ofCode(site.stack()) == null) {
                    harness = harness.plus(bytes);
                } else if (Frames.isCut(site)) {
                    isCut = true;
                } else if (Frames.isCalled(site)) {
                    code = code.plus(bytes);
                }
            }
            double least = Math.max(0, thread.value() - harness.value());
            boolean isTold = !isCut && code.value() <= thread.value() && code.value() > least - 1;
            Estimate most = isTold ? code : thread;
            double unsure = most.value() - least;
            return new OwnThread(most, unsure < 1 ? 0 : unsure, isCut); // less is rounding
        }
    }
}
