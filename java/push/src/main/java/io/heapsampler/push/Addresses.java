// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.URI;

/** Checks and completes the addresses of receivers. */
final class Addresses {

    private Addresses() {}

    /** Returns where to send to: the address of the receiver, and the path of its API behind it. */
    static URI of(URI receiver, String path) {
        String scheme = receiver.getScheme();
        boolean isHttp = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!isHttp || receiver.getHost() == null) {
            throw new IllegalArgumentException(
                    "the address of a receiver is such as http://collector:4318, but this is "
                            + (mayHaveUser(receiver) ? "another" : receiver));
        }
        if (receiver.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "the address has a user name in it, where it would be logged. Take it out and"
                            + " call PushBuilder.basicAuth().");
        }
        if (receiver.getRawQuery() != null || receiver.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "the address of a receiver has neither query nor fragment: " + receiver);
        }
        String base = receiver.toString();
        while (base.endsWith("/")) {
            base = base.substring(0, base.length() - 1);
        }
        return URI.create(base.endsWith(path) ? base : base + path);
    }

    /** Also where the URI has no host, and so does not separate the user from it. */
    private static boolean mayHaveUser(URI receiver) {
        String text = receiver.toString();
        return text.indexOf('@') >= 0;
    }
}
