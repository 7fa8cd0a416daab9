// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A random block with labels. It has the sites of 3 stacks, none, and "(other)", with 2 classes
 * each, and a row for most of the sites with each of 6 sets of labels. Row i has i % 4 traces.
 */
final class LabelledBlock {

    static final List<Map<String, String>> SETS =
            List.of(
                    Map.of("endpoint", "GET /orders"),
                    Map.of("endpoint", "GET /orders", "tenant", "acme"),
                    Map.of("endpoint", "GET /carts", "tenant", "acme"),
                    Map.of("tenant", "\u00c4ther\uD83D\uDE00 & Co"));

    final BlockWriter writer = new BlockWriter().info(Info.BUDGET, 1_000);

    /** What each row has, in the order of the rows. */
    final List<Row> rows = new ArrayList<>();

    private final Random random;
    private final int[] sets = new int[SETS.size() + 2];

    /** A row of SITES. */
    record Row(int stack, String className, int set, double bytes) {

        boolean has(String key, String value) {
            return set >= 1 && set <= SETS.size() && value.equals(SETS.get(set - 1).get(key));
        }

        boolean isOther() {
            return set == SETS.size() + 1;
        }

        boolean isSameSite(Row other) {
            return stack == other.stack && className.equals(other.className);
        }
    }

    LabelledBlock(long seed) {
        this(seed, true);
    }

    /** Makes a block, with the same rows and figures whether it has labels or not. */
    LabelledBlock(long seed, boolean isLabelled) {
        random = new Random(seed);
        for (int i = 0; i < SETS.size() && isLabelled; i++) {
            sets[i + 1] = writer.labels(SETS.get(i));
        }
        sets[SETS.size() + 1] = isLabelled ? writer.otherLabels() : 0;
        addRows();
        int[] threads = {writer.thread(5, "main"), writer.thread(6, "worker"), -1};
        for (int i = 0; i < 200; i++) {
            int row = random.nextInt(rows.size());
            int size = 16 * (1 + random.nextInt(100));
            int liveness = random.nextInt(2);
            int thread = threads[random.nextInt(3)];
            writer.living(row, thread, size, 1_000 + i, 4_096, 0, liveness, i % 7);
        }
        for (int i = 0; i < 50; i++) {
            writer.dead(random.nextInt(rows.size()), threads[i % 3], 24, i, 2, 20 + i, 30 + i);
        }
    }

    private void addRows() {
        int[] stacks = new int[5];
        stacks[0] = -1;
        stacks[1] = writer.stack(false);
        for (int i = 2; i < stacks.length; i++) {
            stacks[i] = writer.stack(i == 2, writer.frame("com.acme.Shop", "m" + i, i));
        }
        for (int set = 0; set < sets.length; set++) {
            for (int stack : stacks) {
                for (String className : List.of("byte[]", "java.lang.String")) {
                    if (random.nextInt(5) > 0) {
                        addRow(stack, className, set);
                    }
                }
            }
        }
    }

    private void addRow(int stack, String className, int set) {
        double bytes = 1_000 + random.nextInt(1_000_000);
        int lifetimes = random.nextInt(3) == 0 ? -1 : lifetimes();
        int row =
                writer.site(
                        stack,
                        writer.name(className),
                        1 + random.nextInt(9),
                        bytes / 16,
                        random.nextInt(100),
                        bytes,
                        random.nextInt(10_000),
                        random.nextInt(10_000),
                        lifetimes);
        writer.density(random.nextInt(5), random.nextInt(5));
        rows.add(new Row(stack, className, set, bytes));
        for (int i = 0; i < row % 4; i++) {
            writer.example(row, traceId(row, i), spanId(row, i));
        }
        if (sets[set] != 0) {
            writer.labelSite(row, sets[set]);
        }
    }

    static String traceId(int row, int number) {
        return String.format("%030x%02x", row, number + 1);
    }

    static String spanId(int row, int number) {
        return String.format("b7%012x%02x", row, number + 1);
    }

    private int lifetimes() {
        double[] buckets = new double[48];
        for (int i = 0; i < 10; i++) {
            buckets[random.nextInt(48)] += 1 + random.nextInt(10);
        }
        return writer.lifetimes(1 + random.nextInt(20), buckets);
    }

    HeapSnapshot snapshot() {
        return HeapSnapshot.decode(writer.write());
    }
}
