// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A registry of people behind weak references: each collection clears hundreds of thousands.
 * Arguments: seconds, people per second, references that are kept.
 */
final class WeakPeople {

    private static final int BATCH = 2_000;

    private WeakPeople() {}

    /** One of many. */
    private record Person(String name, int age) {}

    public static void main(String... args) {
        Deque<WeakReference<Person>> registry = new ArrayDeque<>();
        int kept = Integer.parseInt(args[2]);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]) / BATCH,
                        number -> {
                            for (int i = 0; i < BATCH; i++) {
                                registry.add(meet(number));
                                if (registry.size() > kept) {
                                    registry.poll();
                                }
                            }
                        });
    }

    private static WeakReference<Person> meet(int number) {
        return new WeakReference<>(new Person("person" + number, number % 100));
    }
}
