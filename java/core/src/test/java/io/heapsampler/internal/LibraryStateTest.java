// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.internal.NativeLibrary.Loaded;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LibraryStateTest {

    private static final Loaded LOADED = new Loaded("1.2.3", "here");

    private int attempts;
    private @Nullable HeapSamplingUnavailableException failure;

    private final Supplier<Loaded> loader =
            () -> {
                attempts++;
                if (failure != null) {
                    throw failure;
                }
                return LOADED;
            };

    private final LibraryState state = new LibraryState(loader);

    private void fail(Reason reason, @Nullable Throwable cause) {
        failure = new HeapSamplingUnavailableException(reason, "why", cause);
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(state::ensureLoaded)
                .withMessage("why")
                .satisfies(e -> assertThat(e).isNotSameAs(failure));
        assertThat(state.loaded()).isNull();
    }

    @Test
    void libraryIsLoadedOnce() {
        assertThat(state.loaded()).isNull();
        state.ensureLoaded();
        state.ensureLoaded();

        assertThat(state.loaded()).isSameAs(LOADED);
        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void fullTemporaryFolderIsTriedAgain() {
        fail(Reason.LIBRARY_NOT_LOADED, new IOException("No space left on device"));
        fail(Reason.LIBRARY_NOT_LOADED, new IOException("No space left on device"));
        failure = null;
        state.ensureLoaded();

        assertThat(state.loaded()).isSameAs(LOADED);
        assertThat(attempts).isEqualTo(3);
    }

    @Test
    void lackOfMemoryIsTriedAgain() {
        fail(
                Reason.LIBRARY_NOT_LOADED,
                new UnsatisfiedLinkError(
                        "x.so: cannot map zero-fill pages: Cannot allocate memory"));
        failure = null;
        state.ensureLoaded();

        assertThat(state.loaded()).isSameAs(LOADED);
    }

    @Test
    void lastingFailuresAreRemembered() {
        fail(Reason.LIBRARY_NOT_LOADED, new UnsatisfiedLinkError("x.so: file too short"));
        failure = null;
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(state::ensureLoaded)
                .withMessage("why");

        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void onlyFailuresToLoadAreTransient() {
        fail(Reason.NATIVE_ACCESS_DENIED, new IOException("unrelated"));
        fail(Reason.NATIVE_ACCESS_DENIED, null);

        assertThat(attempts).isEqualTo(1);
    }
}
