// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.HashMap;
import java.util.Map;

/** The causes of collections, one line each. Unknown ones are kept, and count as for space. */
final class Causes {

    /** G1 marks the heap then, if enough of it is in use. */
    static final String HUMONGOUS = "G1 Humongous Allocation";

    static final String LAST_RESORT = "Metadata GC Clear Soft References";

    private record Cause(String purpose, String meaning) {}

    private static final Map<String, Cause> BY_NAME = read();

    private static Map<String, Cause> read() {
        Map<String, Cause> all = new HashMap<>();
        for (String line : Table.lines("causes")) {
            String[] cells = line.split("\\|", -1);
            all.put(cells[1], new Cause(cells[0], cells[2]));
        }
        return all;
    }

    /** Returns a few words for a reader; empty if this version does not know the cause. */
    static String meaning(String cause) {
        Cause known = BY_NAME.get(cause);
        return known == null ? "" : known.meaning();
    }

    private static boolean isFor(String purpose, String cause) {
        Cause known = BY_NAME.get(cause);
        String unknown = cause.startsWith("CodeCache") ? "CODE" : "SPACE";
        return purpose.equals(known == null ? unknown : known.purpose());
    }

    static boolean isExplicit(String cause) {
        return isFor("EXPLICIT", cause);
    }

    /** Returns whether jcmd, an agent or a test requested the collection. */
    static boolean isTool(String cause) {
        return isFor("TOOL", cause);
    }

    static boolean isMetadata(String cause) {
        return isFor("METADATA", cause);
    }

    static boolean isStall(String cause) {
        return isFor("STALL", cause);
    }

    /** Returns whether the collection took place because heap space was needed. */
    static boolean isForSpace(String cause) {
        return isFor("SPACE", cause) || isStall(cause);
    }
}
