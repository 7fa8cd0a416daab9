// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that code allocates, at most so many.
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

    /** Below this every object counts, and only compiled code shows what stays of them. */
    private static final long TINY = 4096;

    static final String HELP =
            "Let it be repeated (minOf = 2 or more), record every allocation (interval = \"0 B\"),"
                    + " or run it beside nothing else.";

    /** A check of what cannot be combined; all other components are checked by their parsers. */
    public AllocationRule {
        boolean hasPlaces = !scope.sites().isEmpty() || !scope.exclude().isEmpty();
        if (scope.threads() == ThreadScope.INHERITED && hasPlaces) {
            throw new IllegalArgumentException(
                    "sites and exclude cannot be combined with threads = INHERITED: allocations are"
                            + " summed up by thread there. Use types or packages, or another"
                            + " threads.");
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
        Measure measure = measure(scope, Interval.of(limit, own));
        return new FigureTrial(
                measure.layer(),
                measure,
                limit,
                repeats(),
                (figure, how, name) -> verdict(figure, how, name, own));
    }

    static Measure measure(Scope scope, long interval) {
        LongSupplier ofThread = Counters.ofThread();
        LongSupplier ofAll = Counters.ofAll();
        return switch (scope.threads()) {
            case DEFAULT, TEST ->
                    scope.isWhole() && ofThread != null
                            ? new CountedMeasure(ofThread, scope, interval)
                            : new SampledMeasure(scope, scope.isWhole() ? 0 : interval);
            case ALL ->
                    scope.isWhole() && ofAll != null
                            ? new CountedMeasure(ofAll, scope, interval)
                            : new SampledMeasure(scope, interval);
            case INHERITED -> new InheritedMeasure(scope, interval, ofThread, ofAll);
        };
    }

    private Verdict verdict(Measured figure, String how, String subject, Settings settings)
            throws NotMeasuredException {
        String summary = figure.figure() + " of at most " + Bytes.limit(limitText, limit);
        if (figure.isWithin(limit)) {
            return Verdict.passed(this, summary + "; " + how, snapshot(figure));
        }
        if (figure.isUndecided(limit)) {
            throw figure.undecided(summary, how, HELP);
        }
        return beyond(figure, summary + "; " + how, how, subject, settings);
    }

    private Verdict beyond(
            Measured figure, String summary, String how, String subject, Settings settings) {
        Evidence evidence = figure.evidence();
        List<SiteFigures> sites = Evidence.sites(evidence, scope);
        sites.sort(SiteFigures.BY_ALLOCATED);
        FailureText text =
                new FailureText(headline(figure, subject), settings.ownCode())
                        .line("Measured: " + how + ".")
                        .sites("Most allocated", sites, settings.sites());
        if (sites.isEmpty()) {
            text.line(noSites(evidence));
        }
        text.hint(hint());
        return Verdict.failed(
                this,
                summary,
                Failures.error(
                        text,
                        "at most " + Bytes.exact(limit),
                        figure.figure(),
                        sites,
                        settings.sites()),
                snapshot(figure));
    }

    private static @Nullable HeapSnapshot snapshot(Measured figure) {
        Evidence evidence = figure.evidence();
        return evidence == null ? null : evidence.snapshot();
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
                Bytes.rounded(more),
                percent);
    }

    private static String noSites(@Nullable Evidence evidence) {
        return evidence != null
                ? "No site was sampled: what was allocated was not Java code's, such as classes."
                : "No sites, for no recording could be opened: see HeapSampler.status() and the log"
                        + " of io.heapsampler.";
    }

    private String hint() {
        return (limit < TINY
                        ? "reuse the object, or move what is done once out of the measured code;"
                        : "start at the first site;")
                + " exclude = \"...\" leaves out what is not yours; warmup and minOf say how often"
                + " the code is run before it is judged.";
    }
}
