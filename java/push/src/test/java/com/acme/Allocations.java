// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

/** Allocates as an application does: allocations of HeapSampler's own packages do not count. */
public final class Allocations {

    private Allocations() {}

    /** Returns an array of bytes. */
    public static byte[] bytes(int length) {
        return new byte[length];
    }

    /** Returns an array of numbers. */
    public static long[] longs(int length) {
        return new long[length];
    }
}
