// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeldByOptions;
import io.heapsampler.internal.shared.OnlyLabel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A search for holders that the command line requests from a {@link Session}, as one line of text.
 *
 * @param sites how many of the largest sites; 0 for all objects, or those of the class
 * @param className the class of the objects; null for any
 * @param label the label of the objects; null for any
 * @param maxSamples see {@link HeldByOptions#maxSamples}
 * @param maxPause see {@link HeldByOptions#maxPause}
 * @param maxTime see {@link HeldByOptions#maxTime}
 */
public record HeldByRequest(
        int sites,
        @Nullable String className,
        @Nullable OnlyLabel label,
        int maxSamples,
        Duration maxPause,
        Duration maxTime) {

    private static final int WORDS = 6;
    private static final String ANY = "*";

    /**
     * Makes a request.
     *
     * @throws IllegalArgumentException if the name of the class has a space, which separates the
     *     words of a {@link #line}
     */
    public HeldByRequest {
        if (className != null && className.contains(" ")) {
            throw new IllegalArgumentException(
                    "The class \"" + className + "\" has a space. Name one class, such as byte[].");
        }
    }

    /**
     * Returns the line, which {@link #of} reads. The label comes last, since it may have spaces.
     */
    public String line() {
        return String.join(
                " ",
                "" + sites,
                "" + maxSamples,
                maxPause.toString(),
                maxTime.toString(),
                className == null ? ANY : className,
                label == null ? ANY : label.toString());
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if {@link #line} did not write it
     */
    public static HeldByRequest of(String line) {
        String[] words = line.split(" ", WORDS);
        if (words.length < WORDS) {
            throw new IllegalArgumentException("The agent does not understand this search.");
        }
        return new HeldByRequest(
                Integer.parseInt(words[0]),
                words[4].equals(ANY) ? null : words[4],
                words[5].equals(ANY) ? null : OnlyLabel.parse(words[5]),
                Integer.parseInt(words[1]),
                Duration.parse(words[2]),
                Duration.parse(words[3]));
    }

    /**
     * Returns the options of the search.
     *
     * @throws IllegalArgumentException if one is out of range; the message has the range
     */
    public HeldByOptions options() {
        return selection().maxSamples(maxSamples).maxPause(maxPause).maxTime(maxTime);
    }

    private HeldByOptions selection() {
        if (label != null) {
            return HeldByOptions.label(label.key(), label.value());
        }
        if (className != null) {
            return HeldByOptions.ofClass(className);
        }
        return sites == 0 ? HeldByOptions.all() : HeldByOptions.topByLive(sites);
    }
}
