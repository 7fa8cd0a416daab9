// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * Where a path to a held object begins: what the garbage collector never frees.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public enum HolderRoot {
    /** A static field of a class. */
    STATIC_FIELD,

    /** A thread that is alive: a field of its {@code Thread} object. */
    THREAD,

    /** A local variable, parameter or temporary value of a Java method that is running. */
    LOCAL,

    /** A local reference of native code. */
    JNI_LOCAL,

    /** A global reference of native code. */
    JNI_GLOBAL,

    /** A class that the JVM itself needs. */
    SYSTEM_CLASS,

    /** A lock that a thread holds or waits for. */
    MONITOR,

    /** Another reference of the JVM. */
    OTHER,

    /** The queue of objects whose finalizer is due. */
    FINALIZER_QUEUE,

    /** The value of a thread-local variable of a thread that is alive. */
    THREAD_LOCAL
}
