// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Failures of the environment become one message. */
class AgentTest {

    /** System properties of an application that has put its own in their place. */
    private static final class Failing extends Properties {

        private static final long serialVersionUID = 1;

        private final RuntimeException failure;

        Failing(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public Set<String> stringPropertyNames() {
            throw failure;
        }
    }

    @Test
    void exceptionsOfSystemPropertiesAreReported() {
        IllegalStateException closed = new IllegalStateException("closed");
        assertThatThrownBy(() -> Agent.start(null, new Failing(closed), Map.of()))
                .hasMessage("HeapSampler does not sample: java.lang.IllegalStateException: closed");
        SecurityException denied = new SecurityException("denied");
        assertThatThrownBy(() -> Agent.start(null, new Failing(denied), Map.of()))
                .hasMessage(
                        "HeapSampler does not sample: the security manager forbids it (denied)."
                                + " Grant the agent's jar java.security.AllPermission.");
        assertThatThrownBy(Agent::detach)
                .hasMessageStartingWith("No agent of HeapSampler is running in this JVM.");
    }
}
