// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.internal.shared.OnlyLabel;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of query and form. The first of equal names counts and unknown ones are ignored,
 * as in Go.
 */
final class Parameters {

    static final int MAX_QUERY = 2048;
    static final int MAX_FORM = 4096;

    private static final int MOST = 32;

    private final Map<String, String> values = new HashMap<>();

    private Parameters() {}

    /** Reads the query, and for a POST the form before it. */
    static Parameters of(EndpointRequest request) throws Refusal {
        Parameters parameters = new Parameters();
        if (request.method().equals("POST")) {
            parameters.add(form(request));
        }
        String query = request.query();
        if (query != null) {
            if (query.length() > MAX_QUERY) {
                throw new Refusal(414, "The query is too long: at most 2048 characters are read.");
            }
            parameters.add(query);
        }
        return parameters;
    }

    private static String form(EndpointRequest request) throws Refusal {
        byte[] bytes;
        try {
            bytes = request.body().readNBytes(MAX_FORM + 1);
        } catch (IOException e) {
            throw new Refusal(408, "The form did not arrive in time, or the client has left.");
        }
        if (bytes.length > MAX_FORM) {
            throw new Refusal(413, "The form is too long: at most 4096 bytes are read.");
        }
        String type = request.header("Content-Type");
        if (bytes.length > 0 && (type == null || !isForm(type))) {
            throw new Refusal(
                    415, "Send parameters as application/x-www-form-urlencoded, or none.");
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static boolean isForm(String type) {
        String bare = type.split(";", 2)[0].trim();
        return bare.equalsIgnoreCase("application/x-www-form-urlencoded");
    }

    private void add(String encoded) throws Refusal {
        List<String> pairs = Arrays.asList(encoded.split("&", MOST + 1));
        for (String pair : pairs.subList(0, Math.min(pairs.size(), MOST))) {
            int equals = pair.indexOf('=');
            if (!pair.isEmpty()) {
                String name = decode(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
                values.putIfAbsent(name, value);
            }
        }
    }

    private static String decode(String text) throws Refusal {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "The query has a bad percent escape.");
        }
    }

    /** Returns a value; null if there is none or it is empty, which Go treats alike. */
    @Nullable String get(String name) {
        String value = values.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** Returns whether a collection is requested before the snapshot. */
    boolean gc() {
        return lenient("gc") > 0;
    }

    /** Returns whether labels are requested, which is the default. */
    boolean hasLabels() {
        return !"0".equals(get("labels"));
    }

    /** Returns whether ids of traces are requested, which is the default. */
    boolean hasTraces() {
        return !"0".equals(get("traces"));
    }

    /**
     * Returns which labels and traces are requested, as a part of the key of a response. Parts
     * begin with a line feed, which no key or value of a label has.
     */
    String labelsKey() {
        String label = get("label");
        if (!hasLabels()) {
            return "\nwithout labels"; // nor traces
        }
        return (hasTraces() ? "" : "\nwithout traces") + (label == null ? "" : "\nlabel " + label);
    }

    /** Returns the label whose samples alone are requested; null for all samples. */
    @Nullable OnlyLabel only() throws Refusal {
        String text = get("only");
        try {
            return text == null ? null : OnlyLabel.parse(text);
        } catch (IllegalArgumentException e) {
            // Its message may repeat the text.
            throw new Refusal(
                    400,
                    "invalid value for \"only\" - must be a label, such as tenant=acme, or tenant="
                            + " for the samples without this key");
        }
    }

    /** Returns which samples are requested, as a part of the key of a response. */
    String onlyKey() throws Refusal {
        OnlyLabel only = only();
        return only == null ? "" : "\nonly " + only;
    }

    /** Returns a number; 0 if there is none or it is malformed, as in Go. */
    int lenient(String name) {
        String value = get(name);
        long number = value == null ? 0 : number(value, 0);
        return (int) number == number ? (int) number : 0;
    }

    /** Returns the length of a delta: 0 if none is requested. */
    int seconds(int most) throws Refusal {
        String value = get("seconds");
        if (value == null) {
            return 0;
        }
        long seconds = number(value, -1);
        if (seconds <= 0) {
            throw new Refusal(400, "invalid value for \"seconds\" - must be a positive integer");
        }
        if (seconds > most) {
            throw new Refusal(400, "\"seconds\" is too large: at most " + most + " are allowed");
        }
        return (int) seconds;
    }

    /** Returns a number within bounds; {@code usual} if there is none. */
    int integer(String name, int least, int most, int usual) throws Refusal {
        String value = get(name);
        if (value == null) {
            return usual;
        }
        long number = number(value, Long.MIN_VALUE);
        if (number < least || number > most) {
            throw new Refusal(
                    400,
                    "invalid value for \"%s\" - must be from %d to %d"
                            .formatted(name, least, most));
        }
        return (int) number;
    }

    /** Returns a number of bytes; null if there is none. */
    @Nullable Long bytes(String name) throws Refusal {
        String value = get(name);
        if (value == null) {
            return null;
        }
        long bytes = number(value, -1);
        if (bytes < 0) {
            throw new Refusal(400, "invalid value for \"" + name + "\" - must be 0 or more bytes");
        }
        return bytes;
    }

    /** Parses ASCII digits only: {@code Long} accepts those of all scripts. */
    private static long number(String value, long otherwise) {
        try {
            boolean isAscii = value.chars().allMatch(c -> c < 128);
            return isAscii ? Long.parseLong(value) : otherwise;
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
