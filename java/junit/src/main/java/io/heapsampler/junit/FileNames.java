// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Names for the files of one test: made of ASCII letters, digits and hyphens, for a file system or
 * a locale may have no others, and different even where case does not count.
 */
final class FileNames {

    private static final int LONGEST = 80;

    private final Set<String> taken = new HashSet<>();

    /** Returns a name, without suffix, that was not returned before. */
    synchronized String of(String rule) {
        String base = "heap-" + words(rule);
        String name = base;
        for (int i = 2; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
            name = base + "-" + i;
        }
        return name;
    }

    private static String words(String rule) {
        String plain = Normalizer.normalize(rule, Normalizer.Form.NFKD).replaceAll("\\p{M}+", "");
        String words = plain.replaceAll("[^A-Za-z0-9]+", "-");
        return words.substring(0, Math.min(LONGEST, words.length())).replaceAll("^-|-$", "");
    }
}
