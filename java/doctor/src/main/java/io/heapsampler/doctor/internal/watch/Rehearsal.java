// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.DiagnosisHtml;
import io.heapsampler.doctor.DiagnosisJson;
import io.heapsampler.doctor.DiagnosisText;
import io.heapsampler.doctor.Rules;
import io.heapsampler.doctor.SiteHistory;
import io.heapsampler.doctor.Timeline;
import io.heapsampler.doctor.TimelineFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Does once what is to be done when memory has run out: judges a timeline in which much is wrong,
 * and writes the diagnosis down. So all classes and lambdas of it are there before metaspace is
 * full (trap T8).
 */
public final class Rehearsal {

    /** Recorded in a JVM with too little of everything. */
    private static final String SICK = "rehearsal.timeline";

    private Rehearsal() {}

    /**
     * Rehearses.
     *
     * @param timeline what has been seen of this JVM up to now
     * @param sites what the sampler has told
     * @param real what that was judged to be
     * @return the length of what was written
     */
    public static long run(Timeline timeline, SiteHistory sites, Diagnosis real)
            throws IOException {
        Timeline sick = sick();
        sites.sites();
        sites.growing();
        TimelineFile.write(sick, Writer.nullWriter());
        return written(sick, Rules.judge(sick, sites, real.slo().slo())) + written(timeline, real);
    }

    static Timeline sick() throws IOException {
        try (InputStream in = Rehearsal.class.getResourceAsStream(SICK)) {
            if (in == null) {
                throw new IOException("Cannot find " + SICK + ". Take the whole jar.");
            }
            return TimelineFile.read(
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)), SICK);
        }
    }

    private static long written(Timeline timeline, Diagnosis diagnosis) {
        Findings nobody = new Findings();
        Runnable removal = nobody.add(finding -> {});
        nobody.update(diagnosis, 0);
        removal.run();
        return (long) DiagnosisText.of(diagnosis).length()
                + DiagnosisJson.of(diagnosis).length()
                + DiagnosisHtml.page(diagnosis, timeline).length();
    }
}
