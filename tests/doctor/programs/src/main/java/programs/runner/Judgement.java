// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.List;
import java.util.Set;

/**
 * What the doctor reported in one run, held against the row.
 *
 * @param verdict the result
 * @param firstSeconds when the expected finding was first logged, for a healthy program the first
 *     warning; negative if never
 * @param severity of the expected finding in the file, or empty
 * @param siteRank the place of the first site or caller that matches, from 1 on; 0 if none does
 * @param others ids of warnings in the file or the log that the row does not tolerate
 * @param takenBack ids that were logged and are not in the file any more
 */
record Judgement(
        Verdict verdict,
        double firstSeconds,
        String severity,
        int siteRank,
        Set<String> others,
        Set<String> takenBack) {

    /** Returns the cells of a line of the results. */
    List<String> columns() {
        return List.of(
                verdict.label(),
                firstSeconds < 0 ? "-" : String.valueOf(Math.round(firstSeconds)),
                severity.isEmpty() ? "-" : severity,
                String.valueOf(siteRank),
                others.isEmpty() ? "-" : String.join(",", others),
                takenBack.isEmpty() ? "-" : String.join(",", takenBack));
    }
}
