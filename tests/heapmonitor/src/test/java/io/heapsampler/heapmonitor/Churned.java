// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

/** Allocates itself. Tests load it under other names, with other lines and as a hidden class. */
public final class Churned {

    private Churned() {}

    public static Object allocate() {
        return new Churned();
    }

    public static Object allocateAfter(Runnable work) {
        work.run();
        return new Churned();
    }
}
