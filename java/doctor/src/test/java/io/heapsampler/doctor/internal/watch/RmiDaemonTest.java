// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.internal.rules.ExplicitCalls;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.rmi.Remote;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class RmiDaemonTest {

    private static final class Service implements Remote {}

    private final History history = new History();
    private final RmiDaemon daemon = new RmiDaemon(history, new VmClock());

    private List<JvmEvent> events() {
        return history.timeline(Samples.settings(), List.of(), 0).events();
    }

    /** The thread exists while an object is exported. */
    @Test
    void theThreadOfRmiIsAnEventWithItsInterval() throws Exception {
        Service service = new Service();
        UnicastRemoteObject.exportObject(service, 0);
        try {
            daemon.run();
        } finally {
            UnicastRemoteObject.unexportObject(service, true);
        }
        assertThat(events())
                .singleElement()
                .matches(event -> event.type().equals(ExplicitCalls.RMI))
                .matches(event -> event.values().get("interval").equals("3600000"));
    }
}
