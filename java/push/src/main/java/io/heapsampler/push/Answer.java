// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request.
 *
 * @param cause what it has in common with others of its kind; empty if there is nothing to say
 * @param text what went wrong, why, and what to try; empty if there is nothing to say
 * @param retryAfter when the receiver wants the next attempt; null if it does not say
 */
record Answer(Kind kind, String cause, String text, @Nullable Duration retryAfter) {

    /** What to do next. */
    enum Kind {
        /** It was taken. */
        DELIVERED,

        /** It was taken in part, and the rest is lost. */
        PARTLY,

        /** It is to be sent again. */
        LATER,

        /** It is to be sent again, after the others: it may be the reason. */
        BEHIND,

        /** It will never be taken. */
        REFUSED
    }

    static final Answer DELIVERED = new Answer(Kind.DELIVERED, "", "", null);

    static Answer later(String cause, String text) {
        return new Answer(Kind.LATER, cause, text, null);
    }
}
