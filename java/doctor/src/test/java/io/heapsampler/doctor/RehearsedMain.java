// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

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
     * @param arguments files of timelines
     */
    public static void main(String[] arguments) throws Exception {
        List<Timeline> timelines = new ArrayList<>();
        for (String argument : arguments) {
            timelines.add(TimelineFile.read(Path.of(argument)));
        }
        Timeline first = timelines.get(0);
        SiteBook nothing = new SiteBook();
        Timeline healthy = new Timeline(first.settings(), List.of(), List.of(), List.of());
        Rehearsal.run(first.settings(), nothing, Rules.judge(healthy, nothing, Slo.DEFAULT));
        System.out.println(REHEARSED);
        for (Timeline timeline : timelines) {
            Diagnosis diagnosis = Rules.judge(timeline, nothing, Slo.DEFAULT);
            System.out.println(
                    TextReport.of(diagnosis).length() + JsonReport.of(diagnosis).length());
        }
        System.out.println(DONE);
    }
}
