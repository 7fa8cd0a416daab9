// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.FigureTrial.Result;
import io.heapsampler.internal.shared.ByteText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that code allocates, no more than a checked-in file says.
 *
 * @param name as its author wrote it
 * @param baseline the file
 * @param key the test in it
 * @param tolerance how much more is accepted: a percentage or an amount
 * @param updates whether the file is written instead
 * @param warmup runs before those that are judged; -1 for the default
 * @param minOf runs that are judged; -1 for the default
 */
public record BaselineRule(
        String name,
        Baseline baseline,
        String key,
        String tolerance,
        boolean updates,
        int warmup,
        int minOf)
        implements Rule {

    /** Checks the tolerance. */
    public BaselineRule {
        Share.of(tolerance, 0);
    }

    /** Sites kept in the file: with less than this share of the whole they are noise. */
    private static final double LEAST_SHARE = 0.01;

    private static final int MOST_SITES = 20;

    @Override
    public Scope scope() {
        return Scope.TEST;
    }

    @Override
    public Repeats repeats() {
        return Repeats.of(warmup, minOf);
    }

    @Override
    public Trial start(Settings settings) {
        Baseline.@Nullable Entry entry = updates ? null : entry();
        long limit = entry == null ? -1 : limit(entry);
        return new FigureTrial(
                AllocationRule.measure(scope(), limit, settings),
                limit,
                repeats(),
                result -> verdict(result, entry, settings));
    }

    /** The entry of the test; null if there is none, or the file cannot be read. */
    private Baseline.@Nullable Entry entry() {
        try {
            return baseline.entry(key);
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    private long limit(Baseline.Entry entry) {
        return entry.bytes() + Share.of(tolerance, entry.bytes());
    }

    private Verdict verdict(Result result, Baseline.@Nullable Entry entry, Settings settings)
            throws NotMeasuredException {
        if (updates) {
            return updated(result, settings.ownCode());
        }
        if (entry == null) {
            throw new NotMeasuredException(
                    """
                    The entry for %s in %s was removed while the test ran. Run the test again.\
                    """
                            .formatted(key, baseline.file()));
        }
        return compared(result, entry, settings);
    }

    private Verdict updated(Result result, OwnCode ownCode) throws NotMeasuredException {
        Measured figure = result.figure();
        AllocationRule.requireShare(figure, repeats());
        if (!figure.isExact()) {
            throw figure.undecided(figure.figure(), result.how(), AllocationRule.HELP);
        }
        Map<String, Long> sites = sites(figure.snapshot(), ownCode);
        try {
            List<String> stale =
                    baseline.put(key, new Baseline.Entry((long) figure.bytes(), sites));
            String summary = "wrote " + figure.figure() + " to " + baseline.file();
            Verdict verdict = Verdict.passed(this, summary, null);
            return stale.isEmpty()
                    ? verdict
                    : verdict.withNote(
                            baseline.file()
                                    + " has entries of tests that do not exist: "
                                    + String.join("; ", stale));
        } catch (IOException e) {
            throw new NotMeasuredException(
                    """
                    The file %s cannot be written: %s. Correct its permissions, or set \
                    heapsampler.junit.baseline.directory.\
                    """
                            .formatted(baseline.file(), e));
        }
    }

    private Verdict compared(Result result, Baseline.Entry entry, Settings settings)
            throws NotMeasuredException {
        Measured figure = result.figure();
        long limit = limit(entry);
        String summary = figure.figure() + ", baseline " + ByteText.exact(entry.bytes());
        if (figure.isWithin(limit)) {
            String less =
                    figure.bytes() < entry.bytes() - Share.of(tolerance, entry.bytes())
                            ? "; less than the baseline: -Dheapsampler.junit.update=true lowers it"
                            : "";
            return Verdict.passed(this, summary + "; " + result.how() + less, null);
        }
        AllocationRule.requireShare(figure, repeats());
        if (figure.isUndecided(limit)) {
            throw figure.undecided(summary, result.how(), AllocationRule.HELP);
        }
        String headline = headline(figure, entry, limit, result.subject());
        FailureText text =
                new FailureText(headline, settings)
                        .line("Measured: " + result.how() + ".")
                        .line("Baseline: " + key + " in " + baseline.file());
        changes(entry.sites(), sites(figure.snapshot(), settings.ownCode())).forEach(text::line);
        List<SiteFigures> sites = Evidence.sites(figure.evidence(), Scope.TEST);
        sites.sort(SiteFigures.BY_ALLOCATED);
        return text.sites("Most allocated", sites)
                .hint(
                        "start at the site that has grown. If the change is wanted, run the test"
                                + " with -Dheapsampler.junit.update=true and check the file in.")
                .verdict(
                        this,
                        headline,
                        "at most " + ByteText.exact(limit),
                        figure.figure(),
                        figure.snapshot());
    }

    private String headline(Measured figure, Baseline.Entry entry, long limit, String subject) {
        return String.format(
                Locale.ROOT,
                "%s allocated %s, baseline %s: more than the tolerance of %s allows (%s).",
                subject,
                figure.figure(),
                ByteText.exact(entry.bytes()),
                tolerance,
                ByteText.exact(limit));
    }

    /** The lines that tell which sites differ, most changed first. */
    static List<String> changes(Map<String, Long> before, Map<String, Long> now) {
        record Change(String site, long before, long now) {
            long size() {
                return Math.abs(now - before);
            }
        }
        List<Change> changes = new ArrayList<>();
        TreeSet<String> sites = new TreeSet<>(before.keySet());
        sites.addAll(now.keySet());
        for (String site : sites) {
            Change change =
                    new Change(site, before.getOrDefault(site, 0L), now.getOrDefault(site, 0L));
            if (change.size() > Math.max(change.before, change.now) / 10) {
                changes.add(change);
            }
        }
        changes.sort(Comparator.comparingLong(Change::size).reversed());
        List<String> lines = new ArrayList<>();
        for (Change change : changes.subList(0, Math.min(5, changes.size()))) {
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "  changed: %s from %s to %s",
                            change.site,
                            ByteSize.format((double) change.before),
                            ByteSize.format((double) change.now)));
        }
        return lines;
    }

    /** Returns the bytes by class and first own method: no line numbers, which change too often. */
    private static Map<String, Long> sites(@Nullable HeapSnapshot snapshot, OwnCode ownCode) {
        Map<String, Long> sums = new LinkedHashMap<>();
        if (snapshot == null) {
            return sums;
        }
        double whole = 0;
        for (SiteFigures site : Evidence.sites(snapshot, Scope.TEST)) {
            StackTraceElement own = ownCode.first(site.stack());
            String place =
                    own == null ? "(libraries)" : own.getClassName() + "." + own.getMethodName();
            long bytes = (long) site.allocated().bytes().value();
            sums.merge(site.className() + " " + place, bytes, Long::sum);
            whole += bytes;
        }
        double least = whole * LEAST_SHARE;
        Map<String, Long> kept = new LinkedHashMap<>();
        sums.entrySet().stream()
                .filter(site -> site.getValue() >= least)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(MOST_SITES)
                .forEach(site -> kept.put(site.getKey(), site.getValue()));
        return kept;
    }

    /**
     * How much more than a figure is still accepted: {@code 10 %}, or an amount such as {@code 4
     * KB}.
     */
    public static final class Share {

        private static final Pattern PERCENT = Pattern.compile("\\s*(-?\\d+(?:\\.\\d+)?)\\s*%\\s*");

        private Share() {}

        /**
         * Returns the bytes that may be added to a figure.
         *
         * @throws IllegalArgumentException if the text is neither a percentage nor an amount
         */
        public static long of(String text, long figure) {
            Matcher matcher = PERCENT.matcher(text);
            if (matcher.matches()) {
                double percent = Double.parseDouble(matcher.group(1));
                if (percent < 0) {
                    throw new IllegalArgumentException(
                            Bytes.quoted(text) + " is negative. The least tolerance is \"0 %\".");
                }
                return (long) (figure * percent / 100);
            }
            if (text.indexOf('%') >= 0) {
                throw new IllegalArgumentException(
                        Bytes.quoted(text)
                                + " is no tolerance. Write a percentage such as \"10 %\", or an"
                                + " amount such as \"4 KB\".");
            }
            return ByteSize.parse(text);
        }
    }
}
