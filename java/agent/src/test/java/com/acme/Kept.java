// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import java.util.ArrayList;
import java.util.List;

/** Allocates and keeps objects, as an application does: our own classes are not sampled. */
public final class Kept {

    public static final List<byte[]> BYTES = new ArrayList<>();

    private Kept() {}

    public static void add(int arrays, int length) {
        for (int i = 0; i < arrays; i++) {
            BYTES.add(new byte[length]);
        }
    }
}
