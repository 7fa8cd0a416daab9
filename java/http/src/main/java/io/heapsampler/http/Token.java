// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A secret that requests have to show. Only its digest is kept, and digests are compared in a time
 * that depends on nothing, so that neither the length nor a right beginning can be found by trying.
 */
final class Token {

    static final int LEAST = 16;

    private final byte[] digest;

    Token(String secret) {
        if (secret.length() < LEAST || !secret.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "A token needs 16 or more printable ASCII characters without spaces, but this"
                            + " one has "
                            + secret.length()
                            + " characters. Make one with \"openssl rand -hex 32\".");
        }
        this.digest = digestOf(secret);
    }

    boolean matches(String shown) {
        return MessageDigest.isEqual(digest, digestOf(shown));
    }

    private static byte[] digestOf(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "Token[hidden]";
    }
}
