// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one lock around changes of the engine, and the one state that they start from and publish.
 * Threads of this copy of the classes take turns; other users of the engine are outside the lock,
 * so each turn begins by reading the engine.
 *
 * <p>The lock is the monitor of this object, so that code that must not allocate can take it
 * without a lambda. It is held during calls of the engine, even for a whole forced collection.
 * {@link #state()} takes no lock.
 *
 * <p>A monitor rather than a Lock: the JVM releases it even if a StackOverflowError occurs between
 * lock() and try. On JDK 21 to 23 a virtual thread that waits for it pins its carrier.
 */
final class Turns {

    /** How often a step is tried while other users keep changing the engine. */
    private static final int TRIES = 3;

    private final Engine engine;

    /** Written under the lock, read by any thread. A step reads it once. */
    private volatile ProcessState state = ProcessState.NOTHING;

    Turns(Engine engine) {
        this.engine = engine;
    }

    ProcessState state() {
        return state;
    }

    /** Runs a step under the lock. The allocations of the facade are not sampled meanwhile. */
    <T extends @Nullable Object> T inTurn(Supplier<T> step) {
        return engine.inside(() -> locked(step));
    }

    /**
     * Runs a step under the lock. A step that was overtaken has changed nothing and is repeated.
     */
    <T extends @Nullable Object> T locked(Supplier<T> step) {
        synchronized (this) {
            for (int left = TRIES - 1; ; left--) {
                readEngine();
                try {
                    return step.get();
                } catch (OvertakenException e) {
                    if (left == 0) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Publishes the state that the engine reports now. Only for the thread whose turn it is. */
    ProcessState readEngine() {
        return publish(state.seen(engine.inForce()));
    }

    /** Only for the thread whose turn it is. */
    ProcessState publish(ProcessState next) {
        state = next;
        return next;
    }

    /** Returns the number of these terms, which are set unless samples are kept. */
    int agreeOn(Limits limits, @Nullable SamplingStrategy gate) {
        ProcessState now = state;
        return now.keepsSamples()
                ? now.engine().terms()
                : engine.configure(limits, gate == null ? SamplingStrategy.bytes(0) : gate);
    }
}
