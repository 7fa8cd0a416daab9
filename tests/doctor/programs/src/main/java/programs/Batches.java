// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.ArrayList;
import java.util.List;

/**
 * Every ten seconds a batch of orders grows for eight seconds and is then dropped. Arguments:
 * seconds, MiB of a batch.
 */
final class Batches {

    private static final int TURNS_PER_SECOND = 100;
    private static final int TURNS_PER_BATCH = 1_000;
    private static final int TURNS_OF_WORK = 800;

    private Batches() {}

    public static void main(String... args) {
        int kibPerTurn = Integer.parseInt(args[1]) * 1_024 / TURNS_OF_WORK;
        List<byte[]> batch = new ArrayList<>();
        Pace.of(args)
                .at(
                        TURNS_PER_SECOND,
                        number -> {
                            Garbage.make(300);
                            if (number % TURNS_PER_BATCH == TURNS_OF_WORK) {
                                batch.clear();
                            } else if (number % TURNS_PER_BATCH < TURNS_OF_WORK) {
                                for (int i = 0; i < kibPerTurn; i++) {
                                    batch.add(new byte[1_008]);
                                }
                            }
                        });
    }
}
