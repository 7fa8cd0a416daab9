// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.report;

import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of a timeline at up to 240 evenly spaced times, each the maximum around its time. */
final class PlotSeries {

    private static final int MOST = 240;

    private final Timeline timeline;
    private final List<Tick> ticks;
    private final int points;

    PlotSeries(Timeline timeline) {
        this.timeline = timeline;
        this.ticks = timeline.ticks();
        this.points = Math.min(MOST, ticks.size());
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
        timeline.collections()
                .forEach(each -> raise(values, each.atMillis(), figure.applyAsDouble(each)));
        return values;
    }

    private List<Double> values(double value) {
        return new ArrayList<>(Collections.nCopies(points, value));
    }

    private void raise(List<Double> values, long atMillis, double value) {
        if (points > 0 && value >= 0) {
            long from = ticks.get(0).atMillis();
            double length = Math.max(ticks.get(ticks.size() - 1).atMillis() - from, 1);
            long point = Math.round((atMillis - from) / length * (points - 1));
            if (point >= 0 && point < points && !(values.get((int) point) >= value)) {
                values.set((int) point, value);
            }
        }
    }
}
