// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GcNotificationsTest {

    private final List<GarbageCollectorMXBean> collectors =
            ManagementFactory.getGarbageCollectorMXBeans();

    @Test
    void collectionsAreReportedUntilItIsClosedWhateverAnotherReceiverThrows() throws Exception {
        assumeThat(collectors.get(0).getName()).doesNotContain("Epsilon");
        BlockingQueue<String> causes = new LinkedBlockingQueue<>();
        GcNotifications broken =
                GcNotifications.subscribe(
                        collectors,
                        info -> {
                            throw new IllegalStateException();
                        });
        GcNotifications closed =
                GcNotifications.subscribe(collectors, info -> causes.add("closed"));
        closed.close();
        closed.close();
        try (GcNotifications open =
                GcNotifications.subscribe(collectors, info -> causes.add(info.getGcCause()))) {
            assertThat(open).isNotNull();
            System.gc();
            String cause = causes.poll(60, TimeUnit.SECONDS);
            while (cause != null && !cause.equals("System.gc()")) {
                assertThat(cause).isNotEqualTo("closed");
                cause = causes.poll(60, TimeUnit.SECONDS);
            }
            assertThat(cause).isEqualTo("System.gc()");
        } finally {
            broken.close();
        }
    }
}
