// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which payload counts while an SDK publishes, replaces and withdraws its context. */
class ProcessContextTest {

    private static final byte[] FIRST = {1};
    private static final byte[] SECOND = {2};
    private static final long ADDRESS = 4096;

    private byte @Nullable [] payload;
    private long place;

    private final ProcessContext context =
            new ProcessContext(
                    knownPlace -> {
                        knownPlace[0] = place;
                        return payload;
                    });

    private byte[] read(byte @Nullable [] newPayload, long newPlace) {
        payload = newPayload;
        place = newPlace;
        return context.payload();
    }

    @Test
    void whileTheSdkWritesThePayloadBeforeCounts() {
        assertThat(read(null, ADDRESS)).isEmpty();
        assertThat(read(FIRST, ADDRESS)).isEqualTo(FIRST);
        assertThat(read(null, ADDRESS)).isEqualTo(FIRST);
        assertThat(read(SECOND, ADDRESS)).isEqualTo(SECOND);
    }

    @Test
    void aContextThatIsGoneHasNoPayload() {
        assertThat(read(FIRST, ADDRESS)).isEqualTo(FIRST);
        assertThat(read(null, 0)).isEmpty();
    }

    @Test
    void theLibraryIsNotLoadedForIt() {
        assertThat(new ProcessContext().payload()).isEmpty();
    }
}
