// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of a report, whose JSON is packed. */
final class PackedReport {

    private static final Pattern PACKED =
            Pattern.compile("application/gzip\" id=\"[^\"]*\">([^<]*)");

    private PackedReport() {}

    /** Returns a page, followed by what is packed in it. */
    static String text(String page) throws IOException {
        StringBuilder text = new StringBuilder(page);
        Matcher packed = PACKED.matcher(page);
        while (packed.find()) {
            byte[] bytes = Base64.getDecoder().decode(packed.group(1));
            text.append(new String(Gzip.read(bytes), StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}
