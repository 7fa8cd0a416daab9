// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import java.lang.reflect.Array;

/** Allocates as an application does: allocations of HeapSampler's own packages do not count. */
public final class Allocations {

    private Allocations() {}

    /** Returns an array of bytes. */
    public static byte[] bytes(int length) {
        return new byte[length];
    }

    /** Returns an array of a class that is not known at compile time. */
    public static Object array(Class<?> type, int length) {
        return Array.newInstance(type, length);
    }
}
