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
}
