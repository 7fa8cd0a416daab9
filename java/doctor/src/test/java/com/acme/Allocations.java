// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import java.util.zip.Inflater;

/** Allocates as an application does: allocations of HeapSampler's own packages do not count. */
public final class Allocations {

    private Allocations() {}

    /** Returns an array of bytes. */
    public static byte[] bytes(int length) {
        return new byte[length];
    }

    /** Returns another array of bytes, of another line. */
    public static byte[] other(int length) {
        return new byte[length];
    }

    /** Returns an object that owns memory outside of the heap. */
    public static Inflater inflater() {
        return new Inflater();
    }

    /** A library's object, of which only a native method shows that it may own memory. */
    public static class Handle {
        private final long[] address = new long[1];

        /** Returns the part that the constructor made. */
        public long[] address() {
            return address;
        }

        private native void release();
    }

    /** One that inherits the method. */
    public static final class Derived extends Handle {}

    /** Returns an object of a native library. */
    public static Handle handle(boolean isDerived) {
        return isDerived ? new Derived() : new Handle();
    }
}
