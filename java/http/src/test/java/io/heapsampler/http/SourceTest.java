// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerState;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The sampler of this JVM, as POST requests start and stop it. */
class SourceTest {

    private HeapSamplerServer server;

    private void serve(HeapSamplerServer.Builder builder) throws IOException {
        EndpointOptions options = EndpointOptions.builder().token(Contract.TOKEN).build();
        server = builder.port(0).options(options).start();
    }

    @AfterEach
    void close() {
        server.close();
        HeapSampler.start(); // as other tests want it
    }

    private RawClient.Reply post(String name) throws IOException {
        return RawClient.send(
                server.address().getPort(),
                "POST",
                "/debug/heapsampler/" + name,
                "",
                "Authorization: Bearer " + Contract.TOKEN);
    }

    private void assertThatItAnswers(String name, SamplerState state, String holders)
            throws IOException {
        RawClient.Reply reply = post(name);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.text())
                .contains("\"state\":\"" + state + "\"", "\"holders\":[" + holders + "]");
        assertThat(HeapSampler.status().state()).isEqualTo(state);
    }

    @Test
    void stopEndsWhatTheApplicationHasStarted() throws Exception {
        HeapSampler.start();
        serve(HeapSamplerServer.builder());

        assertThatItAnswers("stop", SamplerState.STOPPED, "");
        assertThatItAnswers("stop", SamplerState.STOPPED, "");
        assertThatItAnswers("start", SamplerState.RUNNING, "\"application\"");
        assertThatItAnswers("start", SamplerState.RUNNING, "\"application\"");
        HeapSampler.stop();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    @Test
    void stopNamesOthersWhoStillHoldTheSampler() throws Exception {
        HeapSampler.start();
        serve(HeapSamplerServer.builder());
        try (SamplerHold hold = HeapSampler.share("nightly")) {
            assertThatItAnswers("stop", SamplerState.RUNNING, "\"" + hold.name() + "\"");
        }
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    /** As the agent does. */
    @Test
    void anotherHoldThanTheApplicationsCanBeSteered() throws Exception {
        HeapSampler.stop();
        SamplerHold[] hold = {HeapSampler.share("tool")};
        serve(
                HeapSamplerServer.builder()
                        .steering(() -> hold[0] = HeapSampler.share("tool"), () -> hold[0].stop()));

        assertThatItAnswers("stop", SamplerState.STOPPED, "");
        assertThatItAnswers("start", SamplerState.RUNNING, "\"tool\"");
        HeapSampler.start();
        assertThatItAnswers("stop", SamplerState.RUNNING, "\"application\"");
    }
}
