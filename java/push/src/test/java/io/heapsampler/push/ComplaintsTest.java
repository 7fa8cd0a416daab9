// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ComplaintsTest {

    @Test
    void eachCauseIsLoggedOnceAnHour() {
        AtomicLong time = new AtomicLong(-5);
        try (Warnings warnings = new Warnings()) {
            Pusher.Complaints complaints = new Pusher.Complaints("a", time::get);
            complaints.log("one", "first");
            complaints.log("one", "second");
            complaints.log("two", "third");
            time.addAndGet(Pusher.Complaints.AGAIN_AFTER);
            complaints.log("one", "fourth");

            assertThat(warnings.texts())
                    .containsExactly("WARNING a: first", "WARNING a: third", "WARNING a: fourth");
        }
    }
}
