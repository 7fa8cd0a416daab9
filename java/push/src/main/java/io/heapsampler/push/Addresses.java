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
                            + (mayHaveSecret(receiver) ? "another" : receiver));
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
        String base = receiver.toString();
        while (base.endsWith("/")) {
            base = base.substring(0, base.length() - 1);
        }
        return URI.create(base.endsWith(path) ? base : base + path);
    }

    /** A user or a query, even if the URI has no host that separates the user from it. */
    private static boolean mayHaveSecret(URI receiver) {
        String text = receiver.toString();
        return text.indexOf('@') >= 0 || text.indexOf('?') >= 0;
    }
}
