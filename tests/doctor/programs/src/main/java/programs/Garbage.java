// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.concurrent.ThreadLocalRandom;

/** Text that requests carry; all of it dies young unless a program keeps it. */
final class Garbage {

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz      ";

    /** Prevents that the compiler removes work without a result. */
    static volatile Object sink;

    private Garbage() {}

    /** Returns random words of the given length. */
    static String text(int length) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }

    /** Allocates about as many KiB as given, in strings of 2 KiB that die at once. */
    static void make(int kib) {
        for (int i = 0; i < kib / 2; i++) {
            sink = new byte[2_048 - 16];
        }
    }
}
