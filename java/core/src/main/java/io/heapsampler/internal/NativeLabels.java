// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The labels of the engine in C. Safe for use by many threads. */
public final class NativeLabels implements LabelEngine {

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<NativeLibrary.@Nullable Loaded> library;

    /** When to look next for the engine of an agent, or of a copy of these classes. */
    private volatile long nextLook = System.nanoTime();

    public NativeLabels() {
        this(NativeLibrary::joined);
    }

    /** With another way to an engine that runs, for tests. */
    NativeLabels(Supplier<NativeLibrary.@Nullable Loaded> library) {
        this.library = library;
    }

    @Override
    public boolean isThere() {
        return NativeLibrary.loaded() != null || joins();
    }

    /**
     * Throws nothing: the loader of these classes may be closed, with the application around it.
     */
    boolean joins() {
        long now = System.nanoTime();
        if (now - nextLook < 0) {
            return false;
        }
        nextLook = now + PERIOD_NANOS;
        try {
            return library.get() != null;
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }

    @Override
    public long add(byte[] labels) {
        return NativeBindings.addLabels(labels);
    }

    @Override
    public void remove(long word) {
        NativeBindings.removeLabels(word);
    }

    @Override
    public long open(Thread current, boolean isVirtual, long word) {
        return NativeBindings.openLabels(current, isVirtual, word);
    }

    @Override
    public void close(Thread current, boolean isVirtual, long previous) {
        NativeBindings.closeLabels(current, isVirtual, previous);
    }
}
