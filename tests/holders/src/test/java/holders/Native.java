// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.function.Supplier;

/**
 * References of JNI, and a system that refuses forks: the native half is {@code
 * tests/native/holders/hsholders.c}.
 */
public final class Native {

    static {
        System.load(System.getProperty("holders.library"));
    }

    private Native() {}

    /** Makes a global reference; returns its handle. */
    public static native long newGlobal(Object object);

    /** Deletes it. */
    public static native void deleteGlobal(long handle);

    /** Makes a weak global reference; returns its handle. */
    public static native long newWeakGlobal(Object object);

    /** Returns its object, also while only a finalizer reaches it; null when that is gone. */
    public static native Object get(long handle);

    /** Deletes it. */
    public static native void deleteWeakGlobal(long handle);

    /** Takes an object, and holds it by a local reference alone while {@code then} runs. */
    public static native void withLocal(Supplier<Object> make, Runnable then);

    /** Has the system refuse each fork of this process with EPERM; false where it cannot. */
    public static native boolean forbidForks();
}
