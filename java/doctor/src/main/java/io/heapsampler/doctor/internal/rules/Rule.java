// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

/** One scenario: a function of what was watched. Rules keep nothing between two calls. */
public interface Rule {

    /** The id of the finding that it makes. */
    String id();

    /** Looks for its scenario; never null, whatever the JVM could not tell. */
    Verdict judge(Situation situation);
}
