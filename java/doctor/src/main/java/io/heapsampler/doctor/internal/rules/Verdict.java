// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.internal.text.Text;
import org.jspecify.annotations.Nullable;

/** The result of a rule: either a finding, or the reason why there is none. */
public record Verdict(@Nullable Finding finding, @Nullable Check check) {

    static Verdict fired(Finding finding) {
        return new Verdict(finding, null);
    }

    /** Looked, and a figure was not reached. */
    static Verdict quiet(Rule rule, String why, Object... values) {
        return new Verdict(null, new Check(rule.id(), Text.of(why, values), true));
    }

    /** This JVM, this collector or these options do not show it. */
    public static Verdict hidden(Rule rule, String why) {
        return new Verdict(null, new Check(rule.id(), why, false));
    }
}
