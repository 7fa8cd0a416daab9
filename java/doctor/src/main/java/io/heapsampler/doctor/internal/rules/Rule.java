// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

/** One scenario: a function of a timeline. Rules keep no state between two calls. */
public interface Rule {

    /** The id of the finding that it makes. */
    String id();

    /** Searches for its scenario; never returns null, even if the JVM does not report figures. */
    Verdict judge(Situation situation);
}
