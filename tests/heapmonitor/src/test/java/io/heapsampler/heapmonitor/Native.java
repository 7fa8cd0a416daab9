// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import java.lang.reflect.Executable;

/**
 * The native half of these tests, {@code tests/native/helper/hstest.c}: objects that JNI allocates,
 * and a second JVMTI agent. Where an {@code int} is returned without further word, it is a JVMTI
 * error number.
 */
final class Native {

    static {
        System.load(System.getProperty("hstest.library"));
    }

    /** JVMTI_ERROR_NOT_AVAILABLE. */
    static final int NOT_AVAILABLE = 98;

    private Native() {}

    /** NewObject with the constructor without arguments. */
    static native Object newObject(Class<?> type);

    /** AllocObject: no constructor runs. */
    static native Object allocObject(Class<?> type);

    static native byte[] newByteArray(int length);

    static native Object[] newObjectArray(Class<?> element, int length);

    /** NewString of the first letters of a fixed text, 11 at most. */
    static native String newString(int length);

    /** Holds a JNI critical section until {@link #endCritical} is called. */
    static native void stayCritical(byte[] array);

    /** Returns whether a thread is in {@link #stayCritical}. */
    static native boolean isCritical();

    static native void endCritical();

    /** The other agent takes the sampling capability and samples once per KiB. */
    static native int takeSampling();

    /** The other agent gives it back. */
    static native int giveSamplingBack();

    /** Returns how many samples the other agent has got. */
    static native long sampledByOther();

    /** The other agent listens to VMObjectAlloc, or no longer. */
    static native int listenToVmObjects(boolean on);

    /** Returns how many of these events it has got. */
    static native long vmObjectsSeen();

    /** Returns how many compiled versions of a method the JVM holds; negative: an error. */
    static native int compilations(Executable method);

    /** Replaces the bytes of a class. */
    static native int redefine(Class<?> type, byte[] bytes);
}
