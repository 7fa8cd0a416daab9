// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.DiagnosisHtml;
import io.heapsampler.doctor.DiagnosisJson;
import io.heapsampler.doctor.DiagnosisText;
import io.heapsampler.doctor.Rules;
import io.heapsampler.doctor.SiteHistory;
import io.heapsampler.doctor.Slo;
import io.heapsampler.doctor.Timeline;
import io.heapsampler.doctor.TimelineFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM that rehearses and then judges what is given to it: what it loads after {@value #REHEARSED}
 * would have no room where metaspace is full.
 */
final class RehearsedMain {

    static final String REHEARSED = "=== rehearsed";

    static final String DONE = "=== done";

    private RehearsedMain() {}

    /**
     * Judges timelines.
     *
     * @param arguments files of timelines of one collector
     */
    public static void main(String[] arguments) throws Exception {
        List<Timeline> timelines = new ArrayList<>();
        for (String argument : arguments) {
            timelines.add(TimelineFile.read(Path.of(argument)));
        }
        Timeline first = timelines.get(0);
        List<HeapSnapshot> snapshots = SickJvm.snapshots();
        SiteHistory nothing = new SiteHistory();
        Timeline healthy = new Timeline(first.settings(), List.of(), List.of(), List.of());
        Rehearsal.run(healthy, nothing, Rules.judge(healthy, nothing, Slo.DEFAULT));
        System.out.println(REHEARSED);
        SiteHistory sites = new SiteHistory();
        for (HeapSnapshot snapshot : snapshots) {
            sites.add(snapshot, first);
        }
        for (Timeline timeline : timelines) {
            Diagnosis diagnosis = Rules.judge(timeline, sites, Slo.DEFAULT);
            System.out.println(
                    DiagnosisText.of(diagnosis).length()
                            + DiagnosisJson.of(diagnosis).length()
                            + DiagnosisHtml.page(diagnosis, timeline).length());
        }
        System.out.println(DONE);
    }
}
