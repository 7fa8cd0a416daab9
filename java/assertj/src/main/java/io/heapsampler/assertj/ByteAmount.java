// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ByteSize;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Amounts as people read them. A kilobyte has 1,024 bytes. */
final class ByteAmount {

    private ByteAmount() {}

    /** Returns such as {@code 1.5 MiB}, to one digit behind the point. */
    static String text(double bytes) {
        return ByteSize.format(bytes);
    }

    static String number(double figure) {
        return String.format(Locale.ROOT, "%.0f", figure);
    }

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
