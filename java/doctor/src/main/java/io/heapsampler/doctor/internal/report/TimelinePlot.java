// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.internal.shared.HtmlText;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleConsumer;
import java.util.function.ToDoubleFunction;

/**
 * Plots of a timeline as SVG, one below the other over the same time: the allocation rate, pauses,
 * the heap, metaspace, direct buffers, and the process. Findings are shaded, and collections of the
 * old generation are marked. The style sheet of the page defines the colours.
 */
final class TimelinePlot {

    private static final int WIDTH = 960;
    private static final int LEFT = 76;
    private static final int RIGHT = 12;
    private static final int HEIGHT = 84;
    private static final int TOP = 18;
    private static final int BOTTOM = 6;
    private static final int POINTS = 480;

    private final StringBuilder out = new StringBuilder();
    private final Judgement diagnosis;
    private final Timeline timeline;
    private final long from;
    private final long to;

    private TimelinePlot(Judgement diagnosis, Timeline timeline) {
        this.diagnosis = diagnosis;
        this.timeline = timeline;
        List<Tick> ticks = timeline.ticks();
        this.from =
                ticks.isEmpty() ? diagnosis.startedAt().toEpochMilli() : ticks.get(0).atMillis();
        long last =
                ticks.isEmpty()
                        ? diagnosis.endedAt().toEpochMilli()
                        : ticks.get(ticks.size() - 1).atMillis();
        this.to = Math.max(last, from + 1);
    }

    /** Draws all plots; a sentence if there is nothing to draw. */
    static String of(Judgement diagnosis) {
        Timeline timeline = diagnosis.timeline();
        if (timeline.ticks().size() < 2) {
            return "<p class=\"muted\">The timeline is too short for plots.</p>\n";
        }
        TimelinePlot plot = new TimelinePlot(diagnosis, timeline);
        plot.draw();
        return plot.out.toString();
    }

    private void draw() {
        double[] rates = rates();
        plot(
                "Allocation, bytes per second",
                List.of(),
                max(rates),
                true,
                most -> line(rates, "alloc", most));
        pauses();
        lines(
                "Heap",
                line("committed", "committed", Tick::heapCommitted),
                line("used", "used", Tick::heapUsed),
                line("old generation", "old", Tick::oldUsed));
        lines(
                "Metaspace",
                line("committed", "committed", Tick::metaspaceCommitted),
                line("used", "used", Tick::metaspaceUsed));
        lines("Direct buffers", line("used", "used", Tick::directUsed));
        lines(
                "Process",
                line("resident", "committed", Tick::resident),
                line("accounted for", "old", Tick::accounted));
        axis();
    }

    /** What a colour of a plot stands for. */
    private record Key(String name, String style) {}

    /** A line of a plot. */
    private static final class Line {
        final Key key;
        final double[] values;

        Line(Key key, double[] values) {
            this.key = key;
            this.values = values;
        }
    }

    private Line line(String name, String style, ToDoubleFunction<Tick> figure) {
        return new Line(new Key(name, style), sampled(figure));
    }

    private void lines(String title, Line... lines) {
        double most = 0;
        for (Line line : lines) {
            most = Math.max(most, max(line.values));
        }
        if (most > 0) {
            plot(
                    title,
                    Arrays.stream(lines).map(line -> line.key).toList(),
                    most,
                    true,
                    scale -> {
                        for (Line line : lines) {
                            line(line.values, line.key.style(), scale);
                        }
                    });
        }
    }

    /** The most of a figure in each of some hundred pieces of the time; NaN where it is unknown. */
    private double[] sampled(ToDoubleFunction<Tick> figure) {
        double[] most = empty();
        for (Tick tick : timeline.ticks()) {
            double value = figure.applyAsDouble(tick);
            int piece = piece(tick.atMillis());
            if (value >= 0 && !(most[piece] >= value)) {
                most[piece] = value;
            }
        }
        return most;
    }

    private double[] rates() {
        double[] most = empty();
        List<Tick> ticks = timeline.ticks();
        for (int i = 1; i < ticks.size(); i++) {
            Tick before = ticks.get(i - 1);
            Tick tick = ticks.get(i);
            double millis = Math.max(tick.atMillis() - before.atMillis(), 1);
            double rate = 1000.0 * (tick.allocated() - before.allocated()) / millis;
            int piece = piece(tick.atMillis());
            if (before.allocated() >= 0 && rate >= 0 && !(most[piece] >= rate)) {
                most[piece] = rate;
            }
        }
        return most;
    }

    private double[] empty() {
        double[] pieces = new double[Math.min(POINTS, Math.max(timeline.ticks().size(), 2))];
        Arrays.fill(pieces, Double.NaN);
        return pieces;
    }

    private int piece(long atMillis) {
        int count = Math.min(POINTS, Math.max(timeline.ticks().size(), 2));
        double share = (double) (atMillis - from) / (to - from);
        return (int) Math.max(0, Math.min(count - 1L, Math.round(share * (count - 1))));
    }

    private void pauses() {
        double limit = diagnosis.slo().slo().pauseMaxMillis();
        double longest = 0;
        for (GcEvent c : timeline.collections()) {
            longest = c.kind().isPause() ? Math.max(longest, c.durationMillis()) : longest;
        }
        double most = Math.max(longest, limit / 4);
        List<Key> keys = List.of(new Key("young generation", "young"), new Key("all", "full"));
        plot("Pauses, milliseconds", keys, most, false, scale -> bars(scale, limit));
    }

    private void bars(double most, double limit) {
        for (GcEvent c : timeline.collections()) {
            if (c.kind().isPause() && c.atMillis() >= from && c.atMillis() <= to) {
                String style = c.kind().isOld() ? "full" : "young";
                double y = y(c.durationMillis(), most);
                out.append("<path class=\"bar ").append(style).append("\" d=\"M");
                out.append(number(x(c.atMillis()))).append(' ').append(number(TOP + HEIGHT));
                out.append('V').append(number(y)).append("\"/>");
            }
        }
        if (limit <= most) {
            out.append("<path class=\"limit\" d=\"M").append(LEFT).append(' ');
            out.append(number(y(limit, most))).append('H').append(WIDTH - RIGHT).append("\"/>");
        }
    }

    private void plot(
            String title, List<Key> keys, double most, boolean isBytes, DoubleConsumer content) {
        out.append("<svg viewBox=\"0 0 ").append(WIDTH).append(' ');
        out.append(TOP + HEIGHT + BOTTOM).append("\" role=\"img\" aria-label=\"");
        out.append(HtmlText.escaped(title)).append("\"><text class=\"title\" x=\"").append(LEFT);
        out.append("\" y=\"12\">").append(HtmlText.escaped(title));
        for (Key key : keys) {
            out.append("<tspan class=\"key ").append(key.style()).append("\" dx=\"12\">");
            out.append(HtmlText.escaped(key.name())).append("</tspan>");
        }
        out.append("</text>");
        shades();
        grid(most, isBytes);
        content.accept(most);
        out.append("</svg>\n");
    }

    /** The time of each finding that is more than information, and the old collections. */
    private void shades() {
        for (Finding finding : diagnosis.findings()) {
            if (finding.severity() != Severity.INFO) {
                double left = x(clamp(finding.startedAt().toEpochMilli()));
                double right = Math.max(x(clamp(finding.endedAt().toEpochMilli())), left + 2);
                out.append("<rect class=\"shade\" x=\"").append(number(left));
                out.append("\" y=\"").append(TOP).append("\" width=\"");
                out.append(number(right - left)).append("\" height=\"").append(HEIGHT);
                out.append("\"><title>").append(HtmlText.escaped(finding.id()));
                out.append("</title></rect>");
            }
        }
        int last = -1;
        for (GcEvent c : timeline.collections()) {
            int x = (int) x(clamp(c.atMillis()));
            if (c.kind().isOld() && x != last) {
                out.append("<path class=\"mark\" d=\"M").append(x).append(' ').append(TOP);
                out.append("v4\"/>");
                last = x;
            }
        }
    }

    private void grid(double most, boolean isBytes) {
        out.append("<path class=\"frame\" d=\"M").append(LEFT).append(' ').append(TOP);
        out.append('v').append(HEIGHT).append('H').append(WIDTH - RIGHT).append("\"/>");
        String top = isBytes ? Text.bytes(most) : Text.millis(most);
        out.append("<text class=\"scale\" x=\"").append(LEFT - 6).append("\" y=\"");
        out.append(TOP + 9).append("\">").append(HtmlText.escaped(top)).append("</text>");
        out.append("<text class=\"scale\" x=\"").append(LEFT - 6).append("\" y=\"");
        out.append(TOP + HEIGHT).append("\">0</text>");
    }

    private void line(double[] values, String style, double most) {
        out.append("<path class=\"line ").append(style).append("\" d=\"");
        boolean isDown = false;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                double x = LEFT + (double) i / (values.length - 1) * (WIDTH - LEFT - RIGHT);
                out.append(isDown ? 'L' : 'M').append(number(x)).append(' ');
                out.append(number(y(values[i], most)));
                isDown = true;
            }
        }
        out.append("\"/>");
    }

    private void axis() {
        out.append("<p class=\"axis\"><span>").append(Instant.ofEpochMilli(from));
        out.append("</span><span>").append(Text.span(to - from)).append("</span><span>");
        out.append(Instant.ofEpochMilli(to)).append("</span></p>\n");
    }

    private long clamp(long millis) {
        return Math.max(from, Math.min(to, millis));
    }

    private double x(long millis) {
        return LEFT + (double) (millis - from) / (to - from) * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double value, double most) {
        return TOP + HEIGHT * (1 - Math.min(value / Math.max(most, 1e-9), 1));
    }

    private static double max(double[] values) {
        double most = 0;
        for (double value : values) {
            most = value > most ? value : most;
        }
        return most;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
