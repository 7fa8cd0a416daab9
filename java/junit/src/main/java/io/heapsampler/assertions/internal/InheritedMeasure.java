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
import io.heapsampler.assertions.internal.Rule.Layer;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the calling thread and the threads that are created meanwhile. The figure is the sum of
 * two parts: bytes of the calling thread, which the JVM counts if all of them count, and recorded
 * bytes of the new threads. Then each doubt widens it:
 *
 * <ul>
 *   <li>Other code created threads too: only the upper bound includes the new threads.
 *   <li>Samples do not separate the code from the harness in the calling thread.
 *   <li>The JVM's share is known for all threads together, so allocations of other threads bound
 *       the part of it that may be theirs.
 *   <li>Samples were lost, or a virtual thread has changed its carrier.
 * </ul>
 */
final class InheritedMeasure implements Measure {

    static final String ALONE = "Run nothing else beside it.";
    static final String OTHERS =
            "other threads allocated meanwhile, and the bytes set aside may include some of theirs";

    private static final Estimate NOTHING = Estimate.of(0, 0, 0, 0);

    private final Scope scope;
    private final long interval;

    /** Counts bytes of the calling thread; null if the JVM does not, or if only some count. */
    private final @Nullable LongSupplier counter;

    /** Counts bytes of all threads; null if the JVM does not. */
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

    /**
     * A run that has ended.
     *
     * @param descendants the threads that it created
     * @param carriers on which its virtual thread may have been
     * @param window brackets the calling thread; null if the JVM does not count it
     * @param raw bytes of the calling thread with those of the harness; 0 if not counted
     * @param net the same without those of the harness
     * @param most bytes of all threads; infinite if the JVM does not count them
     */
    private record Run(
            Descendants descendants,
            UnseenThreads carriers,
            @Nullable Window window,
            long raw,
            long net,
            double most) {}

    @Override
    public Measured once(Subject subject) throws Throwable {
        Evidence evidence = Evidence.open(scope, interval);
        try {
            Run run = run(subject);
            evidence.stop();
            return figure(evidence, run);
        } catch (Throwable e) {
            evidence.close();
            throw e;
        }
    }

    private Run run(Subject subject) throws Throwable {
        Descendants descendants = new Descendants();
        UnseenThreads carriers = UnseenThreads.carriers(scope);
        long before = total == null ? 0 : total.getAsLong();
        Window window = counter == null ? null : new Window(counter);
        long raw = 0;
        long net = 0;
        descendants.begin();
        try {
            if (window == null) {
                subject.run();
            } else {
                window.begin(subject);
                raw = window.raw(subject);
                net = window.net(raw, subject);
            }
        } finally {
            descendants.end();
        }
        carriers.end();
        double most = total == null ? Double.POSITIVE_INFINITY : total.getAsLong() - before;
        return new Run(descendants, carriers, window, raw, net, most);
    }

    private Measured figure(Evidence evidence, Run run) {
        HeapSnapshot snapshot = evidence.snapshot();
        Estimate seenHere = NOTHING;
        Estimate children = NOTHING;
        Estimate others = NOTHING;
        for (ThreadTotals thread : snapshot.threads()) {
            Estimate bytes = thread.allocated().bytes();
            OptionalLong id = thread.threadId();
            if (id.isEmpty()) {
                continue; // Drops adds those without an id
            }
            if (id.getAsLong() == idOfThis()) {
                seenHere = bytes;
            } else if (run.descendants.mayInclude(id.getAsLong())) {
                children = children.plus(bytes);
            } else {
                others = others.plus(bytes);
            }
        }
        OwnThread here = ownThread(snapshot, run, seenHere);
        Estimate sum = here.bytes().plus(children);
        String how = SampledMeasure.how(interval, sum.samples(), scope);
        Measured figure = Measured.of(sum, interval, how, evidence);
        long strangers = run.descendants.strangers();
        if (strangers > 0) {
            double alone = Measured.of(here.bytes(), interval, how, evidence).low();
            figure = figure.widened(alone, figure.high(), strangers(strangers), ALONE);
        }
        if (here.unsure() > 0) {
            double low = figure.low() - here.unsure();
            figure = figure.widened(low, figure.high(), OwnThread.REASON, here.help());
        }
        // among some classes, those that show the share are missing
        if (interval == 0 && scope.isWhole()) {
            figure = withoutShare(figure, JvmShare.sum(snapshot, run.raw), others.value());
        }
        figure = Drops.ofThreads(snapshot, interval, figure);
        figure = run.carriers.widen(Drops.ofAllocated(snapshot, figure));
        figure = run.window == null ? figure : run.window.widen(figure);
        return run.descendants.hasVirtual() ? bounded(figure, run.most) : figure;
    }

    /** Counted if possible, else separated from the harness. */
    private OwnThread ownThread(HeapSnapshot snapshot, Run run, Estimate seen) {
        if (counter == null) {
            return OwnThread.of(snapshot, seen);
        }
        double cost = (double) run.descendants.created() * Descendants.costOfOne(counter);
        double bytes = Math.max(0, run.net - cost);
        return new OwnThread(Estimate.of(bytes, 0, bytes, 0), 0, false);
    }

    private static Measured withoutShare(Measured all, JvmShare share, double others) {
        Measured figure = all.without(share.bytes(), share.describe());
        double unsure = Math.min((double) share.bytes(), others);
        return unsure <= 0
                ? figure
                : figure.widened(figure.low(), figure.high() + unsure, OTHERS, ALONE);
    }

    /**
     * A virtual thread runs on a carrier that may be older than the recording, and of which the
     * first allocations are not seen. So its maximum is the sum of all threads.
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
                "other tests created %,d threads meanwhile, which cannot be distinguished",
                threads);
    }

    @Override
    public Measure better(Measured undecided, long limit) {
        return new InheritedMeasure(scope, 0, counter, total);
    }

    @Override
    public Layer layer() {
        return Layer.SAMPLES;
    }

    /** Only one at a time shows which threads the code starts. */
    @Override
    public boolean isSociable() {
        return false;
    }

    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, with the same result.
    private static long idOfThis() {
        return Thread.currentThread().getId();
    }

    /**
     * Bytes of the measured code in the calling thread. Samples of the thread are summed up with
     * the harness's, and samples of sites with other threads', in which other assertions may run.
     * So it is at most the lesser of both sums; where nothing else is measured, the sites are
     * exact.
     *
     * @param bytes the maximum that it can be, except for the error of the estimate
     * @param unsure the part that may be the harness's: 0, or 1 byte and more
     * @param isCut whether that is because of stacks that are cut
     */
    record OwnThread(Estimate bytes, double unsure, boolean isCut) {

        static final String REASON =
                "other assertions, or stacks that are cut, hide how much the harness itself"
                        + " allocated";

        /** What would make it more certain. */
        String help() {
            return isCut ? Drops.CUT_HELP : ALONE;
        }

        /**
         * Separates it from the harness.
         *
         * @param thread all samples of the thread
         */
        static OwnThread of(HeapSnapshot snapshot, Estimate thread) {
            Estimate code = NOTHING;
            Estimate harness = NOTHING;
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
            boolean isExact = !isCut && code.value() <= thread.value() && code.value() > least - 1;
            Estimate most = isExact ? code : thread;
            double unsure = most.value() - least;
            return new OwnThread(most, unsure < 1 ? 0 : unsure, isCut); // less is rounding
        }
    }

    /**
     * Counts the threads that the calling thread, and those that it creates, create. Thread ids
     * only go up, so the ids before and after show whether all new threads are among them.
     */
    private static final class Descendants {

        private static final InheritableThreadLocal<@Nullable Descendants> CURRENT =
                new InheritableThreadLocal<>() {
                    @Override
                    protected @Nullable Descendants childValue(@Nullable Descendants parent) {
                        if (parent != null) {
                            parent.created(isVirtual());
                        }
                        return parent;
                    }
                };

        private static final boolean CAN_BE_VIRTUAL = Runtime.version().feature() >= 21;

        static {
            CURRENT.set(new Descendants());
            newId(); // loads and links what counting needs, which is not the code's
            CURRENT.remove();
        }

        private final AtomicLong threads = new AtomicLong();
        private volatile boolean hasVirtual;
        private long firstId;
        private long lastId;

        private void created(boolean isVirtual) {
            threads.incrementAndGet();
            if (isVirtual) {
                hasVirtual = true;
            }
        }

        /** Begins to count. */
        void begin() {
            firstId = newId();
            CURRENT.set(this);
        }

        /** Ends it, in the same thread. */
        void end() {
            CURRENT.remove();
            lastId = newId();
        }

        /** Was this thread created meanwhile? */
        boolean mayInclude(long threadId) {
            return threadId > firstId && threadId < lastId;
        }

        /** How many threads others have created meanwhile. */
        long strangers() {
            return Math.max(0, lastId - firstId - 1 - threads.get());
        }

        /** How many were counted. */
        long created() {
            return threads.get();
        }

        /** Were virtual ones among them? */
        boolean hasVirtual() {
            return hasVirtual;
        }

        /** Is the thread that is being created, by one of our callers, a virtual one? */
        private static boolean isVirtual() {
            return CAN_BE_VIRTUAL
                    && StackWalker.getInstance()
                            .walk(
                                    frames ->
                                            frames.limit(10)
                                                    .map(StackWalker.StackFrame::getClassName)
                                                    .anyMatch(n -> n.contains("VirtualThread")));
        }

        /** Returns the cost of counting for the creator of a thread: the least of some. */
        static long costOfOne(LongSupplier counter) {
            long cost = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                long before = counter.getAsLong();
                newId();
                long without = counter.getAsLong();
                CURRENT.set(new Descendants());
                long between = counter.getAsLong();
                newId();
                long with = counter.getAsLong();
                CURRENT.remove();
                cost = Math.min(cost, Math.max(0, with - between - (without - before)));
            }
            return cost;
        }

        @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, the same result.
        private static long newId() {
            return new Thread(() -> {}).getId();
        }
    }
}
