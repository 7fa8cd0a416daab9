// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the agent makes of surroundings that fail: a sentence, and nothing thrown. */
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
    void propertiesThatThrowAreToldOf() {
        assertThat(Agent.start(null, new Failing(new IllegalStateException("closed")), Map.of()))
                .isEqualTo("HeapSampler does not sample: java.lang.IllegalStateException: closed");
        assertThat(Agent.start(null, new Failing(new SecurityException("denied")), Map.of()))
                .isEqualTo(
                        "HeapSampler does not sample: the security manager forbids it (denied)."
                                + " Grant the agent's jar java.security.AllPermission.");
        assertThat(Agent.detach()).startsWith("No agent of HeapSampler is running in this JVM.");
    }
}
