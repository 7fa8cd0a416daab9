// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the JDK through which paths lead, and what a reference of theirs means to a
 * person. A test compares each row with the fields of the running JDK.
 *
 * <p>A line names a class, and below it, indented, are its fields, each with its meaning and, in
 * brackets, the JDKs that have the field if not all of 17, 21 and 25 do:
 *
 * <ul>
 *   <li>{@code inside}: part of the structure of a collection
 *   <li>{@code elements}, {@code both}: the same, to an array of elements; of keys and values
 *   <li>{@code set}: part of the structure; keys of the map there are elements of this collection
 *   <li>{@code wraps}: to the collection that this one only wraps
 *   <li>{@code key}, {@code value}, {@code element}: to what the collection holds
 *   <li>{@code = words}: a known holder, in words
 * </ul>
 */
final class KnownHolders {

    /** What a field means. */
    enum Meaning {
        INSIDE,
        ELEMENTS,
        BOTH,
        SET,
        WRAPS,
        KEY,
        VALUE,
        ELEMENT,
        WORDS
    }

    /**
     * A row.
     *
     * @param words of {@link Meaning#WORDS}, else empty
     * @param jdks the first and the last JDK that have the field, such as {@code 17-21}; empty for
     *     all
     */
    record Row(String className, String field, Meaning meaning, String words, String jdks) {}

    /** Names of collections as people say them, where the name of the class is another. */
    private static final Map<String, String> NAMES =
            Map.ofEntries(
                    Map.entry("java.util.ImmutableCollections$List12", "immutable List"),
                    Map.entry("java.util.ImmutableCollections$ListN", "immutable List"),
                    Map.entry("java.util.ImmutableCollections$SubList", "immutable List"),
                    Map.entry("java.util.ImmutableCollections$Set12", "immutable Set"),
                    Map.entry("java.util.ImmutableCollections$SetN", "immutable Set"),
                    Map.entry("java.util.ImmutableCollections$Map1", "immutable Map"),
                    Map.entry("java.util.ImmutableCollections$MapN", "immutable Map"),
                    Map.entry("java.util.Arrays$ArrayList", "Arrays.asList"),
                    Map.entry(
                            "java.util.concurrent.ConcurrentHashMap$KeySetView",
                            "ConcurrentHashMap.newKeySet"),
                    Map.entry("java.util.Collections$SetFromMap", "Collections.newSetFromMap"),
                    Map.entry("java.util.Collections$SingletonList", "Collections.singletonList"),
                    Map.entry("java.util.Collections$SingletonSet", "Collections.singleton"),
                    Map.entry("java.util.Collections$SingletonMap", "Collections.singletonMap"),
                    Map.entry("java.util.Collections$CopiesList", "Collections.nCopies"),
                    Map.entry(
                            "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue",
                            "queue of ScheduledThreadPoolExecutor"),
                    Map.entry("java.lang.ThreadLocal$ThreadLocalMap", "ThreadLocalMap"),
                    Map.entry("java.lang.ClassValue$ClassValueMap", "ClassValue"));

    private static final Map<String, Map<String, Row>> ROWS = read(HolderTable.TEXT);

    private KnownHolders() {}

    private static Map<String, Map<String, Row>> read(String text) {
        Map<String, Map<String, Row>> rows = new HashMap<>();
        String className = "";
        for (String line : text.lines().toList()) {
            if (!line.startsWith(" ")) {
                className = line.strip();
            } else if (!line.isBlank()) {
                Row row = row(className, line.strip());
                Row before =
                        rows.computeIfAbsent(className, any -> new HashMap<>())
                                .putIfAbsent(row.field(), row);
                if (before != null) {
                    throw new IllegalStateException("two rows for " + before);
                }
            }
        }
        return rows;
    }

    private static Row row(String className, String line) {
        int bracket = line.indexOf('[');
        String jdks = bracket < 0 ? "" : line.substring(bracket + 1, line.length() - 1);
        String[] parts = (bracket < 0 ? line : line.substring(0, bracket)).strip().split(" +", 3);
        boolean isWords = parts[1].equals("=");
        Meaning meaning =
                isWords ? Meaning.WORDS : Meaning.valueOf(parts[1].toUpperCase(Locale.ROOT));
        return new Row(className, parts[0], meaning, isWords ? parts[2] : "", jdks);
    }

    /** Returns the row of a field; null for an unknown one. */
    static @Nullable Row of(String className, String field) {
        Map<String, Row> fields = ROWS.get(className);
        return fields == null ? null : fields.get(field);
    }

    /** Returns all rows. */
    static Iterable<Row> all() {
        return () -> ROWS.values().stream().flatMap(each -> each.values().stream()).iterator();
    }

    /** Returns the name of a collection as people say it. */
    static String nameOf(String className) {
        String name = NAMES.get(className);
        if (name != null) {
            return name;
        }
        return className.startsWith("java.util.") ? ClassNames.simple(className) : className;
    }
}
