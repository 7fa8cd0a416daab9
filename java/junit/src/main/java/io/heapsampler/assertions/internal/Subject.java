// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.Code;

/**
 * The measured code: a first run, which may be that of a test engine and cannot be had twice, and
 * all later ones. Used by one thread.
 */
public final class Subject implements Code {

    private final String name;
    private final Code first;
    private final Code again;
    private final Code empty;
    private int runs;

    /**
     * Creates a subject.
     *
     * @param name what messages call it
     * @param first runs it for the first time
     * @param again runs it again
     * @param empty does what {@code again} does but for the code itself, to measure what that costs
     */
    public Subject(String name, Code first, Code again, Code empty) {
        this.name = name;
        this.first = first;
        this.again = again;
        this.empty = empty;
    }

    String name() {
        return name;
    }

    Code empty() {
        return empty;
    }

    int runs() {
        return runs;
    }

    /** Runs the code once more. */
    @Override
    public void run() throws Throwable {
        if (runs++ == 0) {
            first.run();
        } else {
            again.run();
        }
    }

    /** Runs the code if nobody has yet. */
    public void runOnceAtLeast() throws Throwable {
        if (runs == 0) {
            run();
        }
    }
}
