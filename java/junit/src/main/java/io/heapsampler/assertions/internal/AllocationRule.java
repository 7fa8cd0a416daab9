// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import io.heapsampler.assertions.internal.FigureTrial.Result;
import io.heapsampler.internal.shared.ByteText;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A maximum number of bytes that code allocates.
 *
 * @param name as its author wrote it
 * @param scope which of them
 * @param limitText the limit as it was written
 * @param limit the same in bytes
 * @param warmup runs before those that are judged; -1 for the default
 * @param minOf runs that are judged; -1 for the default
 * @param interval bytes between two samples; -1 to choose it
 */
public record AllocationRule(
        String name,
        Scope scope,
        String limitText,
        long limit,
        int warmup,
        int minOf,
        long interval)
        implements Rule {

    /** Below this every object counts. */
    private static final long TINY = 4096;

    static final String HELP =
            "Repeat the test (minOf = 2 or more at @AllocationTest), record every allocation"
                    + " (interval = \"0 B\"), or run nothing else beside it.";

    /** A check of what cannot be combined; all other components are checked by their parsers. */
    public AllocationRule {
        boolean hasPlaces = !scope.sites().isEmpty() || !scope.exclude().isEmpty();
        if (scope.threads() == ThreadScope.INHERITED && hasPlaces) {
            throw new IllegalArgumentException(
                    """
                    sites and exclude cannot be combined with threads = INHERITED: allocations are \
                    summed up by thread there. Use types or packages, or another threads.\
                    """);
        }
        if (!scope.isWhole() || scope.threads() != ThreadScope.TEST) {
            Interval.check(interval, limit);
        }
    }

    @Override
    public Repeats repeats() {
        return Repeats.of(warmup, minOf);
    }

    @Override
    public Trial start(Settings settings) {
        Settings own = settings.with(interval);
        return new FigureTrial(
                measure(scope, limit, own), limit, repeats(), result -> verdict(result, own));
    }

    static Measure measure(Scope scope, long limit, Settings settings) {
        LongSupplier ofThread = Counters.ofThread();
        LongSupplier ofOthers = scope.threads() == ThreadScope.ALL ? Counters.ofOthers() : null;
        long interval = interval(scope, limit, settings);
        if (scope.threads() == ThreadScope.INHERITED) {
            return new InheritedMeasure(scope, interval, ofThread, Counters.ofAll());
        }
        return ofThread != null && isCounted(scope)
                ? new CountedMeasure(ofThread, ofOthers, scope, limit, interval)
                : new SampledMeasure(scope, interval);
    }

    /** Does the JVM count all that counts here? */
    private static boolean isCounted(Scope scope) {
        return scope.isWhole()
                && switch (scope.threads()) {
                    case DEFAULT, TEST -> Counters.ofThread() != null;
                    case INHERITED -> false;
                    case ALL -> Counters.ofOthers() != null;
                };
    }

    /** A count is exact at any interval, so the author's interval is not used there. */
    private static long interval(Scope scope, long limit, Settings settings) {
        if (isCounted(scope)) {
            return Interval.ofAllocated(limit, Settings.DEFAULT);
        }
        boolean isExact = scope.isWhole() && scope.threads() == ThreadScope.TEST;
        return isExact ? 0 : Interval.ofAllocated(limit, settings);
    }

    private Verdict verdict(Result result, Settings settings) throws NotMeasuredException {
        Measured figure = result.figure();
        String summary = figure.figure() + " of at most " + Bytes.limit(limitText, limit);
        String whole = summary + "; " + result.how();
        if (figure.isWithin(limit)) {
            return Verdict.passed(this, whole, figure.snapshot());
        }
        requireShare(figure, repeats());
        if (figure.isUndecided(limit)) {
            throw figure.undecided(summary, result.how(), HELP);
        }
        return beyond(result, whole, settings);
    }

    /**
     * Without a recording, the JVM's own allocations on a first run cannot be distinguished.
     *
     * @throws NotMeasuredException if that is so, and a first run alone is to be judged
     */
    static void requireShare(Measured figure, Repeats repeats) throws NotMeasuredException {
        if (figure.evidence() == null && !repeats.isAsked()) {
            throw new NotMeasuredException(
                    """
                    %s were allocated, and without a recording it is unknown how much of that \
                    the JVM itself allocated on this first run. Look up in HeapSampler.status() \
                    why there is no recording, or have a later run judged: warmup = 1 at \
                    @AllocationTest.\
                    """
                            .formatted(figure.figure()),
                    true,
                    null);
        }
    }

    private Verdict beyond(Result result, String summary, Settings settings) {
        Measured figure = result.figure();
        Evidence evidence = figure.evidence();
        List<SiteFigures> sites = Evidence.sites(evidence, scope);
        sites.sort(SiteFigures.BY_ALLOCATED);
        FailureText text =
                new FailureText(headline(figure, result.subject()), settings)
                        .line("Measured: " + result.how() + ".")
                        .sites("Most allocated", sites);
        if (sites.isEmpty()) {
            text.line(noSites(evidence != null));
        }
        text.hint(hint(settings) + result.advice());
        return text.verdict(
                this,
                summary,
                "at most " + ByteText.exact(limit),
                figure.figure(),
                figure.snapshot());
    }

    private String headline(Measured figure, String subject) {
        double more = figure.bytes() - limit;
        String percent =
                limit == 0 ? "" : String.format(Locale.ROOT, " (%,.0f %%)", 100 * more / limit);
        return String.format(
                Locale.ROOT,
                "%s allocated %s, limit %s: %s%s too much.",
                subject,
                figure.figure(),
                Bytes.limit(limitText, limit),
                ByteSize.format(more),
                percent);
    }

    /** Says why no site is shown. */
    static String noSites(boolean isRecorded) {
        return isRecorded
                ? "No site is shown: the JVM itself allocated this, such as classes, or an"
                        + " assertion inside of the code."
                : "No sites, because no recording could be opened: see HeapSampler.status() and the"
                        + " log of io.heapsampler.";
    }

    private String hint(Settings settings) {
        return (limit < TINY
                        ? "reuse the object, or move what is done once out of the measured code;"
                        : "start at the first site;")
                + " exclude = \"...\" leaves out code that is not yours."
                + notSetAside(settings);
    }

    /** Says why the JVM's own allocations count; empty if they do not. */
    private String notSetAside(Settings settings) {
        if (repeats().isAsked() || interval(scope, limit, settings) == 0) {
            return "";
        }
        return Interval.isExact(limit)
                ? " The bytes of loading classes are included, because not every allocation was"
                        + " recorded: omit interval."
                : " Beyond a limit of 4 MiB, the bytes of loading classes are included.";
    }

    /**
     * Which interval a limit needs: the relative error of an estimate is about √(interval / limit).
     */
    public static final class Interval {

        /** 4,000 samples at the limit: a standard error of 1.6 %, in milliseconds. */
        private static final long SAMPLES = 4_000;

        /** Below, recording everything costs little more. */
        private static final long LEAST = 64;

        /** Below, the JVM's share of a first run matters, and recording everything is fast. */
        static final long EXACT = 4L * 1024 * 1024;

        private static final long MOST = 512 * 1024;

        /**
         * Fewer samples at the limit decide hardly anything: 11 can be missed. See {@link
         * Measured.Bounds}.
         */
        private static final long FEWEST = 16;

        /** More brings nothing. */
        private static final long COARSEST = 256L * 1024 * 1024;

        private Interval() {}

        /** The author's interval if it can decide about the limit, else the needed one. */
        static long of(long limit, Settings settings) {
            long wanted = settings.interval();
            if (wanted >= 0 && decides(wanted, limit)) {
                return wanted;
            }
            long interval = Math.min(limit / SAMPLES, MOST);
            return interval < LEAST ? 0 : interval;
        }

        /**
         * The same for allocated bytes: up to a limit of a few megabytes every allocation is
         * recorded, so that those of the JVM itself are recognised.
         */
        static long ofAllocated(long limit, Settings settings) {
            return settings.interval() < 0 && isExact(limit) ? 0 : of(limit, settings);
        }

        /** Is everything recorded for such a limit? */
        static boolean isExact(long limit) {
            return limit <= EXACT;
        }

        /** The coarsest that can decide, where a finer one has lost samples. */
        static long coarsest(double limit) {
            return (long) Math.min(limit / FEWEST, COARSEST);
        }

        /** Without any sample there may be 11 intervals, which have to be less than the limit. */
        static boolean decides(long interval, long limit) {
            return interval <= limit / FEWEST;
        }

        /**
         * Checks that an interval can decide about a limit.
         *
         * @throws IllegalArgumentException if it cannot
         */
        public static void check(long interval, long limit) {
            if (interval > 0 && !decides(interval, limit)) {
                throw new IllegalArgumentException(
                        """
                        the limit of %s is below the resolution of an interval of %s: the \
                        relative error is about %s %%. Omit interval, and it is chosen from the \
                        limit; or use at most %s.\
                        """
                                .formatted(
                                        ByteText.exact(limit),
                                        ByteText.exact(interval),
                                        percentOfError(interval, limit),
                                        ByteText.exact(limit / FEWEST)));
            }
        }

        private static long percentOfError(long interval, long limit) {
            return Math.round(100 * Math.sqrt((double) interval / Math.max(1, limit)));
        }
    }
}
