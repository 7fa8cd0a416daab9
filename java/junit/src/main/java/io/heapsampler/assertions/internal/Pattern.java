// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of a class or of a method, such as {@code com.acme.Cache}, {@code com.acme.Cache.put}
 * or {@code com.acme.*}. A star stands for any characters. A class matches all its methods and
 * nested classes.
 */
public final class Pattern {

    private final String text;
    private final java.util.regex.Pattern regex;

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if there are other characters than names and stars have
     */
    public Pattern(String text) {
        this.text = text.trim();
        if (!this.text.matches("[\\w.$*\\[\\]<>-]+")) {
            throw new IllegalArgumentException(
                    Bytes.quoted(text)
                            + " is no pattern of a class or method. Write a name, such as"
                            + " \"com.acme.Cache.put\"; * stands for any characters.");
        }
        this.regex =
                java.util.regex.Pattern.compile(
                        this.text
                                        .chars()
                                        .mapToObj(c -> c == '*' ? ".*" : quoted((char) c))
                                        .collect(Collectors.joining())
                                + "([.$].*)?");
    }

    private static String quoted(char c) {
        return java.util.regex.Pattern.quote(String.valueOf(c));
    }

    /** Reads several patterns. */
    public static List<Pattern> all(String... texts) {
        return java.util.Arrays.stream(texts).map(Pattern::new).toList();
    }

    boolean matches(String name) {
        return regex.matcher(name).matches();
    }

    static String join(List<Pattern> patterns) {
        return patterns.stream().map(Pattern::toString).collect(Collectors.joining(", "));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Pattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
