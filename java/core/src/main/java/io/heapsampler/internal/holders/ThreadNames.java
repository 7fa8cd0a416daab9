// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Names of threads, in which those of a pool are one: where several names differ in their last
 * number only, each of them is the name with {@code *} for that number. For one thread.
 */
final class ThreadNames {

    /** From this number of threads on they are a pool. */
    private static final int POOL = 3;

    private final Map<Long, String> names;
    private final Map<String, Set<String>> pools = new HashMap<>();

    /**
     * Makes them.
     *
     * @param names by id
     * @param ids of the threads that are roots, each any number of times
     */
    ThreadNames(Map<Long, String> names, long[] ids) {
        this.names = names;
        for (long id : Arrays.stream(ids).distinct().toArray()) {
            String name = names.getOrDefault(id, "");
            pools.computeIfAbsent(pattern(name), any -> new HashSet<>()).add(name);
        }
    }

    /** Returns the name of a thread or of its pool; empty for an unknown one. */
    String of(long id) {
        String name = names.getOrDefault(id, "");
        String pattern = pattern(name);
        return pools.getOrDefault(pattern, Set.of()).size() >= POOL ? pattern : name;
    }

    /** Returns the name with {@code *} for its last number; the name itself without a number. */
    static String pattern(String name) {
        int end = name.length();
        while (end > 0 && !isDigit(name.charAt(end - 1))) {
            end--;
        }
        int start = end;
        while (start > 0 && isDigit(name.charAt(start - 1))) {
            start--;
        }
        return end == 0 ? name : name.substring(0, start) + "*" + name.substring(end);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
