// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.Baseline.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of a file of baselines, see {@link Baseline}. For one thread. */
final class BaselineText {

    private static final String HEADER =
            "# Bytes that tests allocate, by JDK release, and their sites. Written by HeapSampler;"
                    + " rewritten with -Dheapsampler.junit.update=true.\n";

    private static final String INDENT = "  ";

    /** A name of a test may have anything in it, so the last of each counts. */
    private static final Pattern TEST = Pattern.compile("(.+) @(\\d{1,5}) = ([\\d,]{1,25})");

    /** Before entries had a release. */
    private static final Pattern OLD_TEST = Pattern.compile("(.+) (\\d{1,18})");

    private static final Pattern SITE = Pattern.compile("([\\d,]{1,25}) (.+)");

    /** The release of entries that do not say it; never compared with. */
    private static final int UNKNOWN = 0;

    /** By test and release. */
    private final Map<String, TreeMap<Integer, Entry>> entries = new TreeMap<>();

    /**
     * Reads a text.
     *
     * @param file what messages call it
     * @throws IllegalArgumentException if there is a line of another form
     */
    static BaselineText parse(List<String> lines, String file) {
        BaselineText text = new BaselineText();
        Map<String, Long> sites = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            boolean isSite = line.startsWith(INDENT);
            Matcher form = matcher(isSite, line.trim());
            if (form == null) {
                throw new IllegalArgumentException(
                        String.format(
                                Locale.ROOT,
                                "line %d of %s is no line of a baseline: \"%s\". Restore the file;"
                                        + " or delete it, and write it anew with"
                                        + " -Dheapsampler.junit.update=true.",
                                i + 1,
                                file,
                                line));
            }
            if (isSite) {
                sites.put(form.group(2), number(form.group(1)));
            } else {
                sites = new LinkedHashMap<>();
                boolean isOld = form.groupCount() == 2;
                int release = isOld ? UNKNOWN : Integer.parseInt(form.group(2));
                long bytes = number(form.group(isOld ? 2 : 3));
                text.entries
                        .computeIfAbsent(form.group(1), test -> new TreeMap<>())
                        .put(release, new Entry(bytes, sites));
            }
        }
        return text;
    }

    private static @Nullable Matcher matcher(boolean isSite, String line) {
        for (Pattern pattern : isSite ? List.of(SITE) : List.of(TEST, OLD_TEST)) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                return matcher;
            }
        }
        return null;
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    @Nullable Entry entry(String test, int release) {
        Map<Integer, Entry> ofTest = entries.get(test);
        return ofTest == null ? null : ofTest.get(release);
    }

    /** Returns for which releases there are entries, in ascending order; 0 for an unknown one. */
    List<Integer> releases(String test) {
        return entries.containsKey(test) ? List.copyOf(entries.get(test).keySet()) : List.of();
    }

    /** Returns such as {@code JDK 17 and JDK 21}. */
    static String releases(List<Integer> releases) {
        return releases.stream()
                .map(release -> release == UNKNOWN ? "an unknown JDK" : "JDK " + release)
                .collect(Collectors.joining(" and "));
    }

    Set<String> tests() {
        return new TreeSet<>(entries.keySet());
    }

    /** Puts an entry in place of that of the same release, and of one without a release. */
    void put(String test, int release, Entry entry) {
        Map<Integer, Entry> ofTest = entries.computeIfAbsent(test, key -> new TreeMap<>());
        ofTest.remove(UNKNOWN);
        ofTest.put(release, entry);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(HEADER);
        entries.forEach(
                (test, ofTest) ->
                        ofTest.forEach((release, entry) -> write(text, test, release, entry)));
        return text.toString();
    }

    private static void write(StringBuilder text, String test, int release, Entry entry) {
        text.append(
                release == UNKNOWN
                        ? String.format(Locale.ROOT, "%s %d\n", test, entry.bytes())
                        : String.format(
                                Locale.ROOT, "%s @%d = %,d\n", test, release, entry.bytes()));
        entry.sites()
                .forEach(
                        (site, bytes) ->
                                text.append(
                                        String.format(
                                                Locale.ROOT, "%s%,d %s\n", INDENT, bytes, site)));
    }
}
