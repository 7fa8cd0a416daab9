// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.Locale;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules for keys and values of labels, and the text by which a set of them is known: its keys
 * and values in the order of the keys, each followed by a character that neither can have.
 */
public final class LabelText {

    /** The most labels that a set has. */
    public static final int MAX_LABELS = 16;

    /** The most characters of a key. */
    public static final int MAX_KEY = 64;

    /** The most characters of a value. */
    public static final int MAX_VALUE = 256;

    private static final char END = '\n';

    private static final String VALUES =
            "Values are few and known beforehand, such as the name of an endpoint. Ids do not"
                    + " belong in labels.";

    private LabelText() {}

    /** Refuses a key or value that no label can have. */
    public static void check(@Nullable String key, @Nullable String value) {
        checkKey(key);
        check(value, "value of the label \"" + key + "\"", MAX_VALUE, VALUES);
    }

    /** Refuses a key that no label can have. */
    public static void checkKey(@Nullable String key) {
        check(key, "key of a label", MAX_KEY, "Use a short name, such as \"endpoint\".");
    }

    private static void check(@Nullable String text, String what, int most, String remedy) {
        if (text == null) {
            throw new NullPointerException(
                    "The "
                            + what
                            + " is null, but a label is a pair of texts. Leave the label out, or"
                            + " give it a value such as \"unknown\".");
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "The " + what + " is empty, so no report could show it. " + remedy);
        }
        if (text.length() > most) {
            throw new IllegalArgumentException(
                    "The "
                            + what
                            + " has "
                            + text.length()
                            + " characters, and "
                            + most
                            + " is the maximum, because each table of labels is bounded. "
                            + remedy);
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new IllegalArgumentException(
                        "The "
                                + what
                                + " has the control character U+"
                                + hex(text.charAt(i))
                                + " at position "
                                + i
                                + ", which reports could not show. Remove it, or replace it with a"
                                + " space.");
            }
        }
    }

    private static String hex(char c) {
        return Integer.toHexString(0x10000 | c).substring(1).toUpperCase(Locale.ROOT);
    }

    /** Refuses a set with too many labels. */
    public static void checkCount(int count) {
        if (count > MAX_LABELS) {
            throw new IllegalArgumentException(
                    "A set of labels has "
                            + MAX_LABELS
                            + " keys at most, and this would be number "
                            + count
                            + ". Each combination of values needs room of its own. Leave out keys"
                            + " that no report needs.");
        }
    }

    /** Returns the text by which a set of one label is known. */
    public static String of(String key, String value) {
        return key + END + value + END;
    }

    /** Returns the text by which a set is known. */
    public static String of(SortedMap<String, String> labels) {
        StringBuilder text = new StringBuilder();
        labels.forEach((key, value) -> text.append(key).append(END).append(value).append(END));
        return text.toString();
    }

    /** Returns such a text as the library has it. */
    public static byte[] bytes(String text) {
        byte[] bytes = ModifiedUtf8.encode(text);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = bytes[i] == END ? 0 : bytes[i];
        }
        return bytes;
    }
}
