// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.report.TextReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.Rules;
import io.heapsampler.doctor.internal.rules.Slo;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.doctor.internal.timeline.TimelineFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rehearses a diagnosis for the time when memory has run out. It judges a timeline with many
 * problems, with samples of sites of each kind, and writes the diagnosis. So all its classes and
 * lambdas are loaded before metaspace is full (trap T8).
 */
public final class Rehearsal {

    /** Of a JVM with too little of everything. */
    private static final String SICK = "rehearsal.timeline";

    /** As many as growth takes. */
    private static final List<String> SNAPSHOTS =
            List.of("rehearsal-1.hsnap", "rehearsal-2.hsnap", "rehearsal-3.hsnap");

    private Rehearsal() {}

    /**
     * Rehearses.
     *
     * @param timeline what has been seen of this JVM up to now
     * @param sites the history of the sampler
     * @param real what that was judged to be
     * @return the length of what was written
     */
    public static long run(Timeline timeline, SiteBook sites, Judgement real) throws IOException {
        Timeline sick = sick();
        SiteBook sickSites = sickSites(sick);
        for (SiteBook each : List.of(sites, sickSites)) {
            each.sites();
            each.growing();
        }
        TimelineFile.write(sick, Writer.nullWriter());
        Slo slo = real.slo().slo();
        JvmSettings settings = in(timeline.settings(), sick.settings());
        long length = written(real);
        for (List<JvmEvent> told : List.of(sick.events(), List.<JvmEvent>of())) {
            Timeline here = new Timeline(settings, sick.ticks(), sick.collections(), told);
            length += written(Rules.judge(here, sickSites, slo));
        }
        return length;
    }

    /** The collector of this JVM, because rules depend on it, with the limits of the rehearsal. */
    private static JvmSettings in(JvmSettings jvm, JvmSettings sick) {
        return new JvmSettings(
                jvm.feature(),
                jvm.collector(),
                sick.maxHeap(),
                sick.initialHeap(),
                sick.maxYoung(),
                jvm.regionSize(),
                sick.maxMetaspace(),
                sick.maxDirect(),
                sick.flags());
    }

    static Timeline sick() throws IOException {
        try (InputStream in = resource(SICK)) {
            return TimelineFile.read(
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)), SICK);
        }
    }

    /** Sites of a sampler in that JVM. */
    static SiteBook sickSites(Timeline sick) throws IOException {
        SiteBook sites = new SiteBook();
        for (String name : SNAPSHOTS) {
            try (InputStream in = resource(name)) {
                sites.add(HeapSnapshot.read(in), sick, 0);
            }
        }
        return sites;
    }

    private static InputStream resource(String name) throws IOException {
        InputStream in = Rehearsal.class.getResourceAsStream(name);
        if (in == null) {
            throw new IOException("Cannot find " + name + ". Take the whole jar.");
        }
        return in;
    }

    private static long written(Judgement diagnosis) {
        Findings nobody = new Findings();
        Runnable removal = nobody.add(finding -> {});
        nobody.update(diagnosis, 0);
        removal.run();
        return (long) TextReport.of(diagnosis).length() + JsonReport.of(diagnosis).length();
    }
}
