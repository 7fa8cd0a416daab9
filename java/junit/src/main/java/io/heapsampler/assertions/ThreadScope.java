// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import io.heapsampler.ApiStatus;

/**
 * Whose allocations count.
 *
 * <pre>{@code
 * assertAllocations(() -> server.handle(request)).threads(ThreadScope.INHERITED).allocatesAtMost("1 MB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum ThreadScope {

    /**
     * The value of {@code heapsampler.junit.threads} in {@code junit-platform.properties} for
     * limits of allocated bytes; else {@link #TEST}.
     */
    DEFAULT,

    /**
     * The thread that runs the code. The JVM counts its bytes exactly. In a virtual thread, whose
     * bytes the JVM does not count, every single allocation is recorded instead. Threads that the
     * code starts or hands work to do not count, such as the one in which JUnit's {@code
     * assertTimeoutPreemptively} runs its body.
     */
    TEST,

    /**
     * That thread and those that are created while the code runs, by it or by such threads. The
     * thread itself is counted exactly, the others by recorded allocations. Threads that others
     * create meanwhile may be among them; where that could change the verdict, there is none. Not
     * for limits of bytes left behind and for leaks.
     *
     * <p>The JVM's own allocations of a first run are known for all threads together. If threads of
     * others allocate meanwhile, some of these may be theirs, and the figure is uncertain by that
     * much. In virtual threads that the code starts, they count.
     */
    INHERITED,

    /**
     * All threads of the JVM. Counted exactly from JDK 21 on, estimated from samples before.
     * Allocations of others meanwhile count, so nothing else should run: under JUnit annotations
     * take the global lock, a limit that is set by code is refused in parallel execution without
     * it, and {@link AllocationAssertions#assertAllocations} cannot know.
     *
     * <p>Where samples are needed, for types, for live objects, or before JDK 21: the first samples
     * of a thread that is older than the assertion may be missing. The bytes of such threads, as
     * the JVM counts them, are added to the figure, so that nothing is missed. For a sharp figure,
     * start the threads in the measured code.
     */
    ALL
}
