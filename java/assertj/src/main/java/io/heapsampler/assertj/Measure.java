// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ByteSize;
import io.heapsampler.internal.shared.ByteText;

/** The kinds of figures. */
enum Measure {
    ALLOCATED_BYTES("allocated bytes", true, false),
    ALLOCATED_OBJECTS("allocated objects", false, false),
    LIVE_BYTES("live bytes", true, true),
    LIVE_OBJECTS("live objects", false, true),
    UNCONFIRMED_BYTES("unconfirmed bytes", true, true),
    UNCONFIRMED_OBJECTS("unconfirmed objects", false, true),
    GROWTH("growth of live bytes", true, true),
    BYTES("bytes", true, false),
    /** An estimate of which nothing is known. */
    ANY("value", false, false);

    /** As in "allocated bytes of the snapshot". */
    final String text;

    final boolean isBytes;

    /** Rests on the samples that could be tracked. */
    final boolean isTracked;

    Measure(String text, boolean isBytes, boolean isTracked) {
        this.text = text;
        this.isBytes = isBytes;
        this.isTracked = isTracked;
    }

    /** Returns the amount in the unit in which people read it. */
    String brief(double amount) {
        return isBytes ? ByteSize.format(amount) : ByteText.number(amount);
    }

    /** Returns the amount to the last digit, and in the unit in which people read it. */
    String exact(double amount) {
        String number = ByteText.number(amount);
        if (!isBytes) {
            return number;
        }
        return Math.abs(amount) < 1024
                ? number + (amount == 1 ? " byte" : " bytes")
                : number + " bytes (" + ByteSize.format(amount) + ")";
    }
}
