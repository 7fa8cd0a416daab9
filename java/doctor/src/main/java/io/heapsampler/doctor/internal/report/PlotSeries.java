// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of a timeline at up to 240 evenly spaced times, each the maximum around its time. */
final class PlotSeries {

    private static final int MOST = 240;

    private final long from;
    private final long to;
    private final List<Tick> ticks;
    private final List<GcEvent> collections;
    private final int points;

    PlotSeries(Judgement d) {
        ticks = d.timeline().ticks();
        collections = d.timeline().collections();
        points = Math.min(MOST, ticks.size());
        from = points == 0 ? 0 : ticks.get(0).atMillis();
        to = points == 0 ? 0 : ticks.get(ticks.size() - 1).atMillis();
    }

    /** Returns a figure of ticks; NaN where no tick has it. */
    List<Double> ticks(ToDoubleFunction<Tick> figure) {
        List<Double> values = values(Double.NaN);
        ticks.forEach(tick -> raise(values, tick.atMillis(), figure.applyAsDouble(tick)));
        return values;
    }

    /** Returns the allocated bytes per second. */
    List<Double> allocationRate() {
        List<Double> values = values(Double.NaN);
        for (int i = 1; i < ticks.size(); i++) {
            Tick from = ticks.get(i - 1);
            Tick to = ticks.get(i);
            double seconds = Math.max(to.atMillis() - from.atMillis(), 1) / 1000.0;
            double bytes = from.allocated() < 0 ? -1 : to.allocated() - from.allocated();
            raise(values, to.atMillis(), Math.rint(bytes / seconds));
        }
        return values;
    }

    /** Returns a figure of collections; 0 where there is none. */
    List<Double> collections(ToDoubleFunction<GcEvent> figure) {
        List<Double> values = values(0);
        collections.forEach(it -> raise(values, it.atMillis(), figure.applyAsDouble(it)));
        return values;
    }

    private List<Double> values(double value) {
        return new ArrayList<>(Collections.nCopies(points, value));
    }

    private void raise(List<Double> values, long atMillis, double value) {
        double share = (double) (atMillis - from) / Math.max(to - from, 1);
        int point = (int) Math.round(share * (points - 1));
        if (point >= 0 && point < points && value >= 0 && !(values.get(point) >= value)) {
            values.set(point, value);
        }
    }
}
