// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of a class or of a method, such as {@code com.acme.Cache}, {@code com.acme.Cache.put}
 * or {@code com.acme.*}. A star stands for any characters. A class matches all its methods and
 * nested classes.
 *
 * <p>Names may have all characters that the JVM allows: letters of any script, and what Kotlin,
 * Scala and Groovy allow in quotes. Texts that look like something else are refused, since they
 * would match nothing.
 */
public final class Pattern {

    /** Characters that names never have, and arrays anywhere but at the end. */
    private static final java.util.regex.Pattern FORBIDDEN =
            java.util.regex.Pattern.compile(
                    "[/;\\\\\"\\p{Cntrl}]|\\[(?!])|(?<!\\[)]|\\[](?!\\[]|$)");

    /** A blank without a class before it, a reference of Javadoc, parameters, or no name after. */
    private static final java.util.regex.Pattern OTHER_FORM =
            java.util.regex.Pattern.compile(
                    "[^.*\\s]*\\s.*|.*(::|\\w#\\w).*|.*\\w\\([\\w., ]*\\)|[.].*|.*[.]");

    /** Several names of classes in one text. */
    private static final java.util.regex.Pattern LIST =
            java.util.regex.Pattern.compile(
                    "[\\w$*]+(\\.[\\w$*]+)+(\\s*,\\s*[\\w$*]+(\\.[\\w$*]+)+)+");

    private final String text;
    private final java.util.regex.Pattern regex;

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if it cannot match any name
     */
    public Pattern(String text) {
        this.text = text.trim();
        if (this.text.isEmpty()
                || FORBIDDEN.matcher(this.text).find()
                || OTHER_FORM.matcher(this.text).matches()
                || LIST.matcher(this.text).matches()) {
            throw new IllegalArgumentException(
                    Bytes.quoted(text)
                            + " is no pattern of a class or method. Write one name, such as"
                            + " \"com.acme.Cache.put\"; * stands for any characters.");
        }
        String anything =
                Arrays.stream(this.text.split("\\*", -1))
                        .map(java.util.regex.Pattern::quote)
                        .collect(Collectors.joining(".*"));
        this.regex =
                java.util.regex.Pattern.compile(
                        anything + "([.$].*)?", java.util.regex.Pattern.DOTALL);
    }

    /** Reads several patterns. */
    public static List<Pattern> all(String... texts) {
        return Arrays.stream(texts).map(Pattern::new).toList();
    }

    boolean matches(String name) {
        return regex.matcher(name).matches();
    }

    /** Does one of the patterns match one of the frames? */
    static boolean matchAny(List<Pattern> patterns, List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            String place = frame.getClassName() + "." + frame.getMethodName();
            for (Pattern pattern : patterns) {
                if (pattern.matches(place)) {
                    return true;
                }
            }
        }
        return false;
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
