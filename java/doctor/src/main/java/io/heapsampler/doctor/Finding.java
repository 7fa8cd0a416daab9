// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One problem, with the evidence for and against it.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param id which problem, such as {@code promotion.premature}; stable over versions
 * @param severity how bad it is
 * @param title one line for a reader
 * @param startedAt the beginning of the time in which it showed
 * @param endedAt its end
 * @param collector the collector, with the release of the JDK, such as {@code G1, JDK 17}
 * @param evidence the measured figures, the strongest evidence first
 * @param sites the sites that cause the problem, largest share first; the evidence {@code
 *     sites.explained} then contains the share that they explain. Empty if the samples show no
 *     site; {@code evidence} then says so. The doctor recognizes class loaders and references by
 *     the names of their classes: it misses a loader that is anonymous, or whose name does not end
 *     with {@code Loader}
 * @param callers the callers, most calls first, if calls are the problem; for {@code jni.critical}
 *     those of native code that ran in most looks at all threads. Empty for other problems, or if
 *     the callers are unknown
 * @param notFired rules that would have explained the same figures and did not fire
 * @param refuters observations that would show that this finding is wrong
 * @param advice the one change to try first; null if there is none to give
 * @param explainedBy the id of the finding whose consequence this is; null if it is none
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record Finding(
        String id,
        Severity severity,
        String title,
        Instant startedAt,
        Instant endedAt,
        String collector,
        List<Evidence> evidence,
        List<SiteEvidence> sites,
        List<CallerEvidence> callers,
        List<Check> notFired,
        List<String> refuters,
        @Nullable Advice advice,
        @Nullable String explainedBy) {
    public Finding {
        evidence = List.copyOf(evidence);
        sites = List.copyOf(sites);
        callers = List.copyOf(callers);
        notFired = List.copyOf(notFired);
        refuters = List.copyOf(refuters);
    }

    /** Returns whether it has evidence of a name. */
    boolean has(String name) {
        boolean has = false;
        for (Evidence each : evidence) { // No lambda: there may be no metaspace for one.
            has |= each.name().equals(name);
        }
        return has;
    }

    /** Returns the same without the evidence of a name. */
    Finding without(String name) {
        List<Evidence> others = new ArrayList<>();
        for (Evidence each : evidence) {
            if (!each.name().equals(name)) {
                others.add(each);
            }
        }
        return with(severity, others, notFired, explainedBy);
    }

    /** Returns the same with other severity, evidence and relations. */
    Finding with(
            Severity other,
            List<Evidence> more,
            List<Check> excluded,
            @Nullable String explaining) {
        return new Finding(
                id,
                other,
                title,
                startedAt,
                endedAt,
                collector,
                more,
                sites,
                callers,
                excluded,
                refuters,
                advice,
                explaining);
    }
}
