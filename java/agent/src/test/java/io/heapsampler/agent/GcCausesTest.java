// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.agent.LifetimeRecorder.GcCauses;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The causes of collections. */
class GcCausesTest {

    @Test
    void aCollectionIsReported() throws Exception {
        try (GcCauses causes = new GcCauses()) {
            System.gc();
            // The JVM reports it on another thread.
            String reported = causes.drain();
            Instant end = Instant.now().plus(Duration.ofSeconds(60));
            while (!reported.contains(":System.gc()")) {
                assertThat(Instant.now()).as(reported).isBefore(end);
                Thread.sleep(10);
                reported = causes.drain();
            }
            assertThat(reported).doesNotContain(" ");
        }
    }
}
