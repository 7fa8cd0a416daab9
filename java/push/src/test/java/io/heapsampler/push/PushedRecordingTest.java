// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static io.heapsampler.push.FakeReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Allocations;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A recording with a filter is pushed until it is closed. */
@Timeout(600)
class PushedRecordingTest extends PusherCase {

    private final List<Object> kept = new ArrayList<>();

    private void allocate() {
        for (int i = 0; i < 100; i++) {
            kept.add(Allocations.longs(4));
            kept.add(Allocations.bytes(64));
        }
    }

    private static HeapRecording recorded() {
        return HeapSampler.record(
                RecordingOptions.builder()
                        .interval(0)
                        .thread(Thread.currentThread())
                        .className(long[].class)
                        .build());
    }

    @Test
    void pushesTheSamplesOfTheRecordingAlone() throws Exception {
        try (HeapRecording recording = recorded();
                ProfilePush push = otlp(receiver.address(), TICK).recording(recording).start()) {
            allocate();
            byte[] body = receiver.take().body();
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                        .contains("long[]")
                        .doesNotContain("byte[]");
            }
            await("delivered", () -> push.status().delivered() > 0);
            assertThat(push.status().lastError()).isNull();
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void endsWithAReasonWhenTheRecordingIsClosed() throws Exception {
        HeapRecording recording = recorded();
        try (ProfilePush push = otlp(receiver.address(), TICK).recording(recording).start()) {
            allocate();
            await("delivered", () -> push.status().delivered() > 0);
            recording.close();
            await("ended", PusherCase::hasNoPusher);

            String text =
                    "The recording is closed, and its samples are forgotten. The application can"
                            + " open another with HeapSampler.record(). Pushing has ended.";
            assertThat(push.status().lastError()).isEqualTo(text);
            assertThat(push.status().dropped()).isEmpty();
            assertThat(push.status().queued()).isZero();
            assertThat(warnings.texts()).containsExactly("WARNING otlp: " + text);
        }
    }

    @Test
    void profilesThatWaitAreSentAfterTheRecordingIsClosed() throws Exception {
        for (int i = 0; i < 4; i++) {
            receiver.then(status(503, "")); // the last ones after the end, which they must not hide
        }
        HeapRecording recording = recorded();
        try (ProfilePush push = otlp(receiver.address(), TICK).recording(recording).start()) {
            allocate();
            byte[] first = receiver.take().body();
            recording.close();

            assertThat(receiver.take().body()).isEqualTo(first);
            await("ended", PusherCase::hasNoPusher);
            assertThat(push.status().delivered()).isPositive();
            assertThat(push.status().lastError()).endsWith("Pushing has ended.");
        }
    }

    @Test
    void aRecordingThatWasClosedBeforeEndsPushingAtOnce() throws Exception {
        HeapRecording recording = recorded();
        recording.close();
        try (ProfilePush push =
                otlp(receiver.address(), NEVER)
                        .closeTimeout(Duration.ZERO)
                        .recording(recording)
                        .start()) {
            await("ended", PusherCase::hasNoPusher);
            assertThat(push.status().lastError()).endsWith("Pushing has ended.");
            assertThat(push.status().dropped()).isEmpty();
        }
    }
}
