// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Pages from templates beside this class. */
final class Page {

    private static final Pattern PLACE = Pattern.compile("@([A-Z]+)@");

    private Page() {}

    /** Puts values in the places, in one pass: a value that looks like a place stays as it is. */
    static String fill(String name, Map<String, String> values) {
        Matcher places = PLACE.matcher(read(name));
        return places.replaceAll(
                place ->
                        Matcher.quoteReplacement(
                                values.getOrDefault(place.group(1), place.group())));
    }

    static String read(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(name + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
