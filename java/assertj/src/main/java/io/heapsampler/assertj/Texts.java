// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.internal.shared.ByteText;
import io.heapsampler.internal.shared.LibraryCode;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The messages of limits. Tests hold them to the letter. */
final class Texts {

    /** Names longer than this are cut in the middle, so that a message stays below 8,000 chars. */
    private static final int LONGEST = 160;

    private Texts() {}

    static String broken(Reading reading, Limit limit, String subject, String top) {
        Measure measure = reading.measure();
        String surely =
                limit.isMost()
                        ? "at least " + measure.exact(reading.low())
                        : "at most " + measure.exact(reading.high());
        return text(
                reading,
                limit,
                of(subject) + (limit.isMost() ? " over the limit:" : " below the limit:"),
                line("surely", surely),
                top,
                helpForBroken(reading, limit));
    }

    static String undecided(Reading reading, Limit limit, String subject, String top) {
        Measure measure = reading.measure();
        String bounds = bound(measure, reading.low()) + " and " + bound(measure, reading.high());
        return text(
                reading,
                limit,
                of(subject) + " undecided, the samples allow no verdict:",
                line("between", bounds),
                top,
                helpForUndecided(reading, limit));
    }

    private static String of(String subject) {
        return subject.isEmpty() ? "" : " of " + subject;
    }

    private static String bound(Measure measure, double amount) {
        return Double.isInfinite(amount) ? "no known bound" : measure.exact(amount);
    }

    private static String text(
            Reading reading, Limit limit, String outcome, String bounds, String top, String help) {
        Measure measure = reading.measure();
        return measure.text.substring(0, 1).toUpperCase(Locale.ROOT)
                + measure.text.substring(1)
                + outcome
                + "\n"
                + line("limit", limit.text(measure))
                + line("actual", actual(reading))
                + bounds
                + intervalLine(reading)
                + top
                + "What helps: "
                + help;
    }

    private static String line(String label, String text) {
        return String.format(Locale.ROOT, "  %-9s ", label) + text + "\n";
    }

    private static String intervalLine(Reading reading) {
        SamplingStrategy other = reading.spacing().other();
        if (other != null) {
            return line("strategy", other.toString());
        }
        long interval = reading.spacing().interval();
        return interval < 0
                ? ""
                : line("interval", Measure.ALLOCATED_BYTES.exact((double) interval));
    }

    /** Returns the measured figure, such as {@code 96.4 KiB ± 10.2 KiB (95 %, 341 samples)}. */
    static String actual(Reading reading) {
        String sure = estimate(reading.measure(), reading.sure());
        double more = reading.possible().value() - reading.sure().value();
        return more > 0 ? sure + ", and perhaps " + reading.measure().brief(more) + " more" : sure;
    }

    private static String estimate(Measure measure, Estimate estimate) {
        if (estimate.samples() == 0) {
            return "no sample";
        }
        String value = measure.brief(estimate.value());
        if (estimate.standardError() == 0) {
            return value + " (exact, " + samples(estimate.samples()) + ")";
        }
        return "%s ± %s (%s95 %%, %s)"
                .formatted(
                        value,
                        measure.brief(error(estimate)),
                        estimate.hasTooFewSamples() ? "roughly " : "",
                        samples(estimate.samples()));
    }

    static String samples(long count) {
        return count == 1 ? "1 sample" : ByteText.number((double) count) + " samples";
    }

    static double error(Estimate estimate) {
        return Normal.Z95 * estimate.standardError();
    }

    private static String helpForBroken(Reading reading, Limit limit) {
        if (!limit.isMost()) {
            return """
            make sure that sampling was on while it happened, and that the code was not compiled \
            away; or lower the limit.\
            """;
        }
        if (reading.measure().isLive()) {
            return "the frames say where the objects were allocated, HeapSampler.heldBy says what"
                    + " holds them.";
        }
        if (Double.isInfinite(reading.high())) {
            return "less at the sites above.";
        }
        return "less at the sites above, or a limit of "
                + reading.measure().exact(Math.ceil(reading.high()))
                + ", which holds the whole 95 % interval.";
    }

    private static String helpForUndecided(Reading reading, Limit limit) {
        StringBuilder text = new StringBuilder();
        reading.doubts().forEach(doubt -> text.append(doubt).append("; "));
        reading.hints().forEach(hint -> text.append(hint).append("; "));
        if (!reading.isClouded(limit)) {
            text.append(intervalHelp(reading, limit)).append("; ");
        }
        return text.append("or choose another outcome with whenUndecided(...).").toString();
    }

    private static String intervalHelp(Reading reading, Limit limit) {
        SamplingStrategy other = reading.spacing().other();
        if (other != null) {
            return Double.isInfinite(reading.high())
                    ? "a sampler that runs with SamplingStrategy.bytes(...), because nothing bounds"
                            + " what goes unseen with "
                            + other
                    : "a sampler that runs with a smaller SamplingStrategy.allocations(...)";
        }
        if (reading.spacing().interval() < 0) {
            return reading.sure().samples() == 0
                    ? "begin with assertThat(snapshot), or say withInterval(...), so that it is"
                            + " known what no sample means"
                    : "a smaller interval";
        }
        long interval = reading.decisiveInterval(limit);
        return interval == 0
                ? "interval 0, which counts exactly: the figure is too close to the limit for any"
                        + " other"
                : "an interval of " + Measure.ALLOCATED_BYTES.exact((double) interval) + " or less";
    }

    static String noSite(String name, String top) {
        return """
        No sampled site is at %s.
        %sWhat helps: a name from the list above; a smaller interval, if too little was \
        allocated for a sample; or sitesAt(...), which may find none.\
        """
                .formatted(name, top);
    }

    static String severalSites(String name, int count, String top) {
        return """
        %s sites are at %s, which differ by line, callers or class.
        %sWhat helps: sitesAt(...), which adds them up.\
        """
                .formatted(count, name, top);
    }

    /** Returns the lines of the first frames, with that of the user's code before them. */
    static List<String> frames(List<HeapFrame> stack) {
        ShownFrames shown =
                ShownFrames.of(
                        stack.stream().map(HeapFrame::toStackTraceElement).toList(),
                        LibraryCode::isOwn);
        List<String> lines = new ArrayList<>();
        if (shown.own() != null) {
            lines.add("your code: " + cut(shown.own().toString()));
        }
        shown.frames().forEach(frame -> lines.add("at " + cut(frame.toString())));
        if (shown.more() > 0) {
            lines.add("... " + shown.more() + " more");
        }
        return lines;
    }

    static String cut(String text) {
        String line = text.replaceAll("\\R", " ");
        return line.length() <= LONGEST
                ? line
                : line.substring(0, LONGEST / 2)
                        + "..."
                        + line.substring(line.length() - LONGEST / 2);
    }

    /** Checks a limit that is given as a number. */
    static long checked(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("a limit must be 0 or more: " + limit);
        }
        return limit;
    }

    /** Checks a name. */
    static String checked(@Nullable String name, String what) {
        if (Objects.requireNonNull(name, what).isBlank()) {
            throw new IllegalArgumentException(what + " must not be blank");
        }
        return name;
    }
}
