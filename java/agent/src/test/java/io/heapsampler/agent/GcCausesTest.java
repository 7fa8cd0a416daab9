// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.agent.LifetimeRecorder.GcCauses;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Why there were collections. */
class GcCausesTest {

    @Test
    void aCollectionIsHeardOf() throws Exception {
        try (GcCauses causes = new GcCauses()) {
            System.gc();
            // The JVM tells of it in a thread of its own.
            String heard = causes.drain();
            Instant end = Instant.now().plus(Duration.ofSeconds(60));
            while (!heard.contains(":System.gc()")) {
                assertThat(Instant.now()).as(heard).isBefore(end);
                Thread.sleep(10);
                heard = causes.drain();
            }
            assertThat(heard).doesNotContain(" ");
        }
    }
}
