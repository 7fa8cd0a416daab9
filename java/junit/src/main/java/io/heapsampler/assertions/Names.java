// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

/** Small things that the assertions of this package share. */
final class Names {

    private Names() {}

    /** Throws anything as it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> RuntimeException unchecked(Throwable e) throws T {
        throw (T) e;
    }
}
