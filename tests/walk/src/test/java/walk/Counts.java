// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerStatus;
import io.heapsampler.StackLookups;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the stacks of a JVM were found so far. */
record Counts(
        boolean fast,
        long known,
        long composed,
        long asked,
        long verified,
        long mismatches,
        long unwalkable,
        long samples,
        String reason) {

    private static final Pattern PAIR = Pattern.compile("(\\w+)=(?:'([^']*)'|(\\S+))");

    static Counts now() {
        SamplerStatus status = HeapSampler.status();
        StackLookups lookups = status.stackLookups();
        return new Counts(
                lookups.isFast(),
                lookups.known(),
                lookups.composed(),
                lookups.asked(),
                lookups.verified(),
                lookups.mismatches(),
                lookups.unwalkable(),
                status.samples(),
                String.valueOf(lookups.whyNotFast()).replace('\'', '`'));
    }

    /** Reads what {@link #toString} wrote; what is missing counts as 0. */
    static Counts parse(String line) {
        Map<String, String> values = new HashMap<>();
        Matcher pairs = PAIR.matcher(line);
        while (pairs.find()) {
            values.put(pairs.group(1), pairs.group(2) == null ? pairs.group(3) : pairs.group(2));
        }
        return new Counts(
                Boolean.parseBoolean(values.get("fast")),
                number(values, "known"),
                number(values, "composed"),
                number(values, "asked"),
                number(values, "verified"),
                number(values, "mismatches"),
                number(values, "unwalkable"),
                number(values, "samples"),
                values.getOrDefault("reason", "null"));
    }

    private static long number(Map<String, String> values, String name) {
        return Long.parseLong(values.getOrDefault(name, "0"));
    }

    boolean isGood() {
        return fast && mismatches == 0;
    }

    /** Returns the share of the walked stacks for which the JVM was not asked. */
    double hits() {
        long walked = known + composed + asked;
        return walked == 0 ? 0 : (double) (known + composed) / walked;
    }

    @Override
    public String toString() {
        return "verified=%d known=%d composed=%d asked=%d unwalkable=%d mismatches=%d samples=%d fast=%s reason='%s'"
                .formatted(
                        verified,
                        known,
                        composed,
                        asked,
                        unwalkable,
                        mismatches,
                        samples,
                        fast,
                        reason);
    }
}
