// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.internal.NativeLibrary.Loaded;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the library of a process is loaded. A lasting failure is remembered and thrown again,
 * with its causes, at every later call. After a transient one, such as a full temporary folder, the
 * next call tries again.
 */
final class LibraryState {

    private final Supplier<Loaded> loader;
    private volatile @Nullable Loaded loaded;

    /** Guarded by this. */
    private @Nullable HeapSamplingUnavailableException failure;

    LibraryState(Supplier<Loaded> loader) {
        this.loader = loader;
    }

    @Nullable Loaded loaded() {
        return loaded;
    }

    /**
     * Loads the library, if that has not been done.
     *
     * @throws HeapSamplingUnavailableException if it cannot be loaded
     */
    void ensureLoaded() {
        if (loaded == null) {
            loadOnce();
        }
    }

    private synchronized void loadOnce() {
        if (loaded != null) {
            return;
        }
        if (failure != null) {
            throw again(failure);
        }
        try {
            loaded = loader.get();
        } catch (HeapSamplingUnavailableException e) {
            if (!LoadFailure.isTransient(e)) {
                failure = e;
            }
            throw again(e);
        }
    }

    /** Returns a copy, so that each caller gets a stack trace of its own. */
    static HeapSamplingUnavailableException again(HeapSamplingUnavailableException first) {
        String message = String.valueOf(first.getMessage());
        HeapSamplingUnavailableException copy =
                new HeapSamplingUnavailableException(first.reason(), message, first.getCause());
        for (Throwable earlier : first.getSuppressed()) {
            copy.addSuppressed(earlier);
        }
        return copy;
    }
}
