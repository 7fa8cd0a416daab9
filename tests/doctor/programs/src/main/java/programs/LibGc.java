// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.ArrayList;
import java.util.List;

/** A library for pictures calls System.gc() after each. Arguments: seconds, pictures per second. */
final class LibGc {

    private static final List<byte[]> KEPT = new ArrayList<>();

    private LibGc() {}

    public static void main(String... args) {
        for (int i = 0; i < 32_000; i++) {
            KEPT.add(new byte[1_000]);
        }
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(4_096);
                            release();
                        });
    }

    private static void release() {
        System.gc();
    }
}
