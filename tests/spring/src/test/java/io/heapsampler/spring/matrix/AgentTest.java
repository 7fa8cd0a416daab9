// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.spring.Client;
import io.heapsampler.spring.EndpointContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations attach the agent, and the application has the starter: one engine serves both. */
class AgentTest {

    @Test
    void theStarterJoinsAnAgentWithOtherOptions() throws Exception {
        List<String> arguments = new ArrayList<>();
        arguments.add(
                "-javaagent:"
                        + System.getProperty("spring.agent")
                        + "=recorder=none,maxTracked=500");
        arguments.addAll(
                Application.jar(
                        "4.0.7",
                        List.of(
                                "--shop.security=off",
                                "--heapsampler.max-tracked=1000",
                                "--management.endpoints.web.exposure.include=heapsampler")));
        try (Application application = new Application(arguments)) {
            String server = "http://localhost:" + application.port();
            Client client = new Client(server, "/actuator/heapsampler", false);

            EndpointContract.canBeRead(client);
            assertThat(client.get("").body()).contains("\"agent\"", "\"application\"");
            assertThat(application.log()).contains("The sampler is running already");
        }
    }
}
