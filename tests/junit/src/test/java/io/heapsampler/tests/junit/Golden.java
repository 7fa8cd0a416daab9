// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whole messages, in files. What differs from machine to machine has a place there: {@code <line>}
 * for the number of a line, {@code <aside>} for what was subtracted from a first run, {@code <n>}
 * for a count, {@code <way>} for how the heap was walked, {@code <amount>} for such as {@code 97.7
 * KiB}, {@code <path>} for a file, {@code <source>} for a line of the JDK (not every JDK tells its
 * lines), {@code <any>} for lines that belong to the JDK.
 */
final class Golden {

    private static final Map<String, String> PLACES =
            Map.of(
                    "way",
                    "(?:a child process|one stop), longest pause [\\d.,]+ ms",
                    "aside",
                    "(?:; [\\d,]+ bytes of the harness subtracted)?"
                            + "(?:; the JVM's [\\d,]+ bytes for [a-z ,]+ set aside)?",
                    "line",
                    "\\d+",
                    "n",
                    "[\\d,]+",
                    "amount",
                    "[\\d.,]+ (?:B|KiB|MiB|GiB)",
                    "path",
                    "\\S+",
                    "source",
                    "(?:\\w+\\.java:\\d+|Unknown Source)",
                    "any",
                    "(?s:.*)");

    private static final Pattern PLACE =
            Pattern.compile("<(way|aside|line|n|amount|path|source|any)>");

    private Golden() {}

    /** The message of a problem is the text of the file, to the letter. */
    static void assertMessage(String file, Throwable problem) {
        assertText(file, problem.getMessage());
    }

    /** The same for any text. */
    static void assertText(String file, String text) {
        String golden = read(file);
        assertThat(text).as("the text in %s:%n%s%n", file, golden).matches(regex(golden));
    }

    private static String read(String file) {
        try (InputStream in = Golden.class.getResourceAsStream("golden/" + file)) {
            assertThat(in).as(file).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String regex(String golden) {
        StringBuilder regex = new StringBuilder();
        Matcher place = PLACE.matcher(golden);
        int end = 0;
        while (place.find()) {
            regex.append(Pattern.quote(golden.substring(end, place.start())));
            regex.append(PLACES.get(place.group(1)));
            end = place.end();
        }
        return regex.append(Pattern.quote(golden.substring(end))).toString();
    }
}
