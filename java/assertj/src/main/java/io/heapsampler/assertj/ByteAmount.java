// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Amounts and names: how messages show them, and which ones assertions refuse. */
final class ByteAmount {

    private ByteAmount() {}

    /** Checks a limit that is given as a number. */
    static long checked(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("a limit must be 0 or more: " + limit);
        }
        return limit;
    }

    /** Checks a name. */
    static String checked(@Nullable String name, String what) {
        if (Objects.requireNonNull(name, what).isBlank()) {
            throw new IllegalArgumentException(what + " must not be blank");
        }
        return name;
    }
}
