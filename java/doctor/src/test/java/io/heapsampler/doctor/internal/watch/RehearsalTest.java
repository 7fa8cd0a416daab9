// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Rules;
import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.SiteHistory;
import io.heapsampler.doctor.Slo;
import io.heapsampler.doctor.Timeline;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RehearsalTest {

    /** A rehearsal in which nothing is wrong would load nothing. */
    @Test
    void muchIsWrongInWhatIsRehearsed() throws IOException {
        Diagnosis diagnosis = Rules.judge(Rehearsal.sick(), new SiteHistory(), Slo.DEFAULT);

        assertThat(diagnosis.findings())
                .extracting(Finding::id)
                .contains("metaspace.leak", "gc.explicit", "old.frequent");
        assertThat(diagnosis.hasWarnings()).isTrue();
    }

    @Test
    void whatWasSeenIsWrittenToo() throws IOException {
        Timeline healthy =
                Samples.timeline(Samples.ticks(0, 60_000), List.of(Samples.pause(1_000, 5)));
        Diagnosis real = Rules.judge(healthy, new SiteHistory(), Slo.DEFAULT);

        assertThat(Rehearsal.run(healthy, new SiteHistory(), real)).isGreaterThan(5_000);
    }
}
