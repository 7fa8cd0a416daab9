// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.NativeLibrary;
import java.net.URL;
import java.net.URLClassLoader;
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

    /** In classes of its own, because another test may have loaded the library. */
    @Test
    void theLibraryIsNotLoadedForIt() throws Exception {
        URL classes = ProcessContext.class.getProtectionDomain().getCodeSource().getLocation();
        // The loader of the platform would return the classes of this module.
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null)) {
            Class<?> own = loader.loadClass(ProcessContext.class.getName());
            Object unread = own.getConstructor().newInstance();
            Class<?> library = loader.loadClass(NativeLibrary.class.getName());

            assertThat((byte[]) own.getMethod("payload").invoke(unread)).isEmpty();
            assertThat(library).isNotSameAs(NativeLibrary.class);
            assertThat(library.getMethod("loaded").invoke(null)).isNull();
        }
    }
}
