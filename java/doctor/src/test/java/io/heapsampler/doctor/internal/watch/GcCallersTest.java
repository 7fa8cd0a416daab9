// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.internal.rules.ExplicitCalls;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.rmi.Remote;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class GcCallersTest {

    private static final class Service implements Remote {}

    private final History history = new History();
    private final GcCallers callers = new GcCallers(history, new VmClock());

    private List<JvmEvent> events() {
        return history.timeline(Samples.settings(), Timeline.Unseen.NONE, 0).events();
    }

    /** The thread exists while an object is exported. */
    @Test
    void theThreadOfRmiIsAnEventWithItsInterval() throws Exception {
        Service service = new Service();
        UnicastRemoteObject.exportObject(service, 0);
        try {
            callers.lookForRmi();
        } finally {
            UnicastRemoteObject.unexportObject(service, true);
        }
        assertThat(events())
                .singleElement()
                .matches(event -> event.type().equals(ExplicitCalls.RMI))
                .matches(event -> event.values().get("interval").equals("3600000"));
    }

    @Test
    void aThreadOfTheApplicationMayHaveTheSameName() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        ThreadGroup system = Thread.currentThread().getThreadGroup();
        while (system.getParent() != null) {
            system = system.getParent();
        }
        ThreadGroup group = new ThreadGroup(system, "application");
        Thread other = new Thread(group, () -> await(isOver), "RMI GC Daemon");
        other.start();
        callers.lookForRmi();
        isOver.countDown();
        other.join();

        assertThat(events()).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
