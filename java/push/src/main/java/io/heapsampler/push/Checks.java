// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Refuses invalid values for a {@link PushBuilder}. */
final class Checks {

    private static final int LONGEST_NAME = 256;
    private static final int LONGEST_VALUE = 2_048;
    private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.]*");
    private static final Pattern HEADER = Pattern.compile("[a-zA-Z0-9-]+");
    private static final Pattern OF_THE_REQUEST =
            Pattern.compile("(?i)content-.*|host|connection|expect|upgrade");

    private Checks() {}

    static String serviceName(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "a service name has from 1 to 256 characters, but this is \"" + name + "\"");
        }
        return name;
    }

    static void label(String name, String value) {
        boolean isName = LABEL.matcher(name).matches() && !name.startsWith("__");
        if (!isName || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    ("a label is named with letters, digits, '_' and '.', such as \"region\", and"
                                    + " not with two '_' first, but this is \"%s\"")
                            .formatted(name));
        }
        if (name.equals("service_name") || name.equals("service.name")) {
            throw new IllegalArgumentException(
                    "the name of the service is no label. Call serviceName() instead of label()"
                            + " with "
                            + name);
        }
        if (value.isBlank() || value.length() > LONGEST_VALUE) {
            throw new IllegalArgumentException(
                    "the value of label \"" + name + "\" must have from 1 to 2048 characters");
        }
    }

    static boolean isHeaderName(String name) {
        return HEADER.matcher(name).matches();
    }

    static void header(String name, String value) {
        boolean isPrintable = value.chars().allMatch(c -> c >= ' ' && c < 127);
        if (!isHeaderName(name) || !isPrintable) {
            throw new IllegalArgumentException(
                    "header \"%s\" or its value has characters that a header cannot have"
                            .formatted(name));
        }
        if (OF_THE_REQUEST.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "header \"" + name + "\" is set for each request and cannot be given");
        }
    }

    static Duration atLeast(Duration least, Duration value, String name) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(
                    name + " must be " + least.toMillis() + " ms or more: " + value);
        }
        return value;
    }

    /** Returns the URI to send to: the address of the receiver, with the path of its API. */
    static URI address(URI receiver, String path) {
        String text = receiver.toString();
        String scheme = receiver.getScheme();
        boolean isHttp = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!isHttp || receiver.getHost() == null) {
            // A user or a query, even if the URI has no host that separates the user from it.
            boolean mayHaveSecret = text.indexOf('@') >= 0 || text.indexOf('?') >= 0;
            throw new IllegalArgumentException(
                    "the address of a receiver is such as http://collector:4318, but this is "
                            + (mayHaveSecret ? "another" : text));
        }
        if (receiver.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "the address has a user name in it, where it would be logged. Take it out and"
                            + " call PushBuilder.basicAuth().");
        }
        if (receiver.getRawQuery() != null || receiver.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "the address of a receiver has neither query nor fragment, but this has one."
                            + " It is not shown, because it may be a secret.");
        }
        String base = text.replaceFirst("/+$", "");
        return URI.create(base.endsWith(path) ? base : base + path);
    }

    static void oneTrust(@Nullable HttpClient client, @Nullable SSLContext context) {
        if (client != null && context != null) {
            throw new IllegalStateException(
                    "httpClient and sslContext are both given, but a client has a context of its"
                            + " own and this one would not be used. Give it to the client:"
                            + " HttpClient.newBuilder().sslContext(...).");
        }
    }
}
