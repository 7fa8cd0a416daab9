// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** Why there is no verdict, as a sentence with what to do about it. */
public final class NotMeasuredException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Can no setting help here? Then the test is aborted, whatever the policy. */
    private final boolean isHopeless;

    NotMeasuredException(String reason) {
        this(reason, false);
    }

    NotMeasuredException(String reason, boolean isHopeless) {
        super(reason);
        this.isHopeless = isHopeless;
    }

    boolean isHopeless() {
        return isHopeless;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
