// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import java.util.ArrayList;
import java.util.List;

/** Keeps objects alive. Not one of our own classes, which are never shown as holders. */
public final class Kept {

    public static final List<byte[]> BYTES = new ArrayList<>();

    private Kept() {}
}
