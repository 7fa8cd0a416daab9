// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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

/**
 * A checked-in file with the bytes that tests allocate. An entry holds for one feature release of
 * the JDK: sizes of objects and the JDK's own code differ from release to release. It is a line
 * with the test, the release and the bytes, and an indented line for each site:
 *
 * <pre>
 * com.acme.CartTest.add() @17 = 1,310,784
 *   1,048,592 byte[] com.acme.Cart.add
 * </pre>
 *
 * Written in the order of the names, so that two branches seldom touch the same lines. Several JVMs
 * may update one file at a time.
 */
public final class Baseline {

    private static final int RELEASE = Runtime.version().feature();

    private static final String UPDATE =
            " Run the test once with -Dheapsampler.junit.update=true, and check the file in.";

    /**
     * What one test allocates.
     *
     * @param bytes all of it
     * @param sites bytes by class and place
     */
    record Entry(long bytes, Map<String, Long> sites) {}

    private final Path file;
    private final int release;

    /** Names a file, which need not exist. */
    public Baseline(Path file) {
        this(file, RELEASE);
    }

    /** The same for another release; for tests. */
    Baseline(Path file, int release) {
        this.file = file;
        this.release = release;
    }

    /** Returns the file. */
    public Path file() {
        return file;
    }

    /**
     * Returns the entry of a test for the release that runs, or null if there is none.
     *
     * @throws IllegalArgumentException if the file is damaged
     */
    @Nullable Entry entry(String test) throws IOException {
        return read().entry(test, release);
    }

    /**
     * Returns why a test cannot be compared, and what to do; null if it has an entry.
     *
     * @throws IllegalArgumentException if the file is damaged
     */
    public @Nullable String missing(String test) throws IOException {
        BaselineText text = read();
        if (text.entry(test, release) != null) {
            return null;
        }
        List<Integer> others = text.releases(test);
        String where = file.toAbsolutePath().toString();
        if (others.isEmpty()) {
            return "there is no baseline for it in " + where + "." + UPDATE;
        }
        return """
        there is no baseline for it and JDK %s in %s, only for %s. What a test allocates \
        differs from release to release.%s\
        """
                .formatted(
                        release,
                        where,
                        BaselineText.releases(others),
                        UPDATE.replace("the test once", "the test once on JDK " + release));
    }

    private BaselineText read() throws IOException {
        return Files.exists(file)
                ? BaselineText.parse(
                        Files.readAllLines(file, StandardCharsets.UTF_8), file.toString())
                : new BaselineText();
    }

    /**
     * Puts an entry in place of the one there is for the release that runs.
     *
     * @return tests of other entries that do not exist any more
     */
    List<String> put(String test, Entry entry) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        List<String> tests = new ArrayList<>();
        SharedFile.change(
                file,
                () -> {
                    BaselineText text = read();
                    text.put(test, release, entry);
                    tests.addAll(text.tests());
                    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
                    WholeFile.replace(file, out -> out.write(bytes));
                });
        return StaleTests.of(tests);
    }

    /** The text of a file of baselines, see {@link Baseline}. For one thread. */
    static final class BaselineText {

        private static final String HEADER =
                "# Bytes that tests allocate, by JDK release, and their sites. Written by"
                        + " HeapSampler; rewritten with -Dheapsampler.junit.update=true.\n";

        private static final String INDENT = "  ";

        private static final String DAMAGED =
                """
                line %s of %s is no line of a baseline: "%s". Restore the file; or delete it, and \
                write it anew with -Dheapsampler.junit.update=true.\
                """;

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
            int number = 0;
            for (String line : lines) {
                number++;
                if (line.startsWith("#") || line.isBlank()) {
                    continue;
                }
                boolean isSite = line.startsWith(INDENT);
                Matcher form = matcher(isSite, line.trim());
                if (form == null) {
                    throw new IllegalArgumentException(DAMAGED.formatted(number, file, line));
                }
                if (isSite) {
                    sites.put(form.group(2), number(form.group(1)));
                } else {
                    sites = new LinkedHashMap<>();
                    boolean isOld = form.groupCount() == 2;
                    int release = isOld ? UNKNOWN : Integer.parseInt(form.group(2));
                    Entry entry = new Entry(number(form.group(isOld ? 2 : 3)), sites);
                    text.entries
                            .computeIfAbsent(form.group(1), test -> new TreeMap<>())
                            .put(release, entry);
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

        /**
         * Returns for which releases there are entries, in ascending order; 0 for an unknown one.
         */
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
            String form = release == UNKNOWN ? "%s %d\n" : "%s @%3$d = %2$,d\n";
            text.append(String.format(Locale.ROOT, form, test, entry.bytes(), release));
            entry.sites()
                    .forEach(
                            (site, bytes) -> {
                                String line = String.format(Locale.ROOT, "%,d %s\n", bytes, site);
                                text.append(INDENT).append(line);
                            });
        }
    }

    /** Tests that have a baseline and do not exist any more. */
    static final class StaleTests {

        private StaleTests() {}

        /**
         * Returns those whose class or method cannot be found by the thread's class loader.
         * Invocations of one method are not distinguished: only those of this run are known.
         *
         * @param keys such as {@code com.acme.CartTest.add(int) [1] 7}
         */
        static List<String> of(Collection<String> keys) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            return keys.stream().filter(key -> isStale(key, loader)).toList();
        }

        private static boolean isStale(String key, ClassLoader loader) {
            int parameters = key.indexOf('(');
            int dot = parameters < 0 ? -1 : key.lastIndexOf('.', parameters);
            if (dot < 0) {
                return false; // no key of ours
            }
            try {
                Class<?> type = Class.forName(key.substring(0, dot), false, loader);
                String signature = key.substring(dot + 1);
                return methods(type).stream()
                        .noneMatch(method -> signature.startsWith(signature(method)));
            } catch (ClassNotFoundException e) {
                return true;
            } catch (LinkageError e) {
                return false;
            }
        }

        private static List<Method> methods(Class<?> type) {
            List<Method> methods = new ArrayList<>(Arrays.asList(type.getMethods()));
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                methods.addAll(Arrays.asList(c.getDeclaredMethods()));
            }
            return methods;
        }

        private static String signature(Method method) {
            return Arrays.stream(method.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", ", method.getName() + "(", ")"));
        }
    }
}
