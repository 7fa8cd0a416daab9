// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.report.HtmlReport;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.report.TextReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.Rules;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.io.IOException;
import java.util.List;

/**
 * Rehearses a diagnosis for the time when memory has run out. It judges a timeline with many
 * problems, with samples of sites of each kind, and writes the diagnosis. So all its classes and
 * lambdas are loaded before metaspace is full (trap T8).
 */
public final class Rehearsal {

    private Rehearsal() {}

    /**
     * Rehearses; returns the length of what was written.
     *
     * @param settings of this JVM
     * @param sites the history of the sampler
     * @param real how this JVM was judged up to now
     */
    public static long run(JvmSettings settings, SiteBook sites, Judgement real)
            throws IOException {
        SickJvm jvm = new SickJvm(settings);
        SiteBook sick = jvm.sites();
        for (SiteBook each : List.of(sites, sick)) {
            each.sites();
            each.growing();
        }
        Timeline all = jvm.timeline();
        long length = written(real);
        for (List<JvmEvent> told : List.of(all.events(), List.<JvmEvent>of())) {
            Timeline some = new Timeline(all.settings(), all.ticks(), all.collections(), told);
            length += written(Rules.judge(some, sick, real.slo().slo()));
        }
        return length;
    }

    private static long written(Judgement judged) {
        Findings nobody = new Findings();
        Runnable removal = nobody.add(finding -> {});
        nobody.update(judged, 0);
        removal.run();
        return (long) TextReport.of(judged).length()
                + JsonReport.of(judged).length()
                + HtmlReport.page(judged).length();
    }
}
