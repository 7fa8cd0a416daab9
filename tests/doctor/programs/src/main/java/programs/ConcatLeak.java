// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps each line of a log that it builds with {@code +}: on top of its stacks are frames of the
 * JDK. Arguments: seconds, lines per second.
 */
final class ConcatLeak {

    private static final List<String> AUDIT = new ArrayList<>();

    private ConcatLeak() {}

    public static void main(String... args) {
        String details = Garbage.text(1_400);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(16);
                            audit("user" + number % 1_000, number, details);
                        });
        System.out.println("lines: " + AUDIT.size());
    }

    private static void audit(String user, int number, String details) {
        AUDIT.add("user " + user + " did " + number + " with " + details);
    }
}
