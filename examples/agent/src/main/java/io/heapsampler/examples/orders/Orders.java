// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads orders, prints receipts, and remembers every customer forever. It knows nothing of
 * HeapSampler: the agent does.
 */
public final class Orders {

    private static final int LINES = 20;

    private final Map<Integer, StringBuilder> customers = new HashMap<>();

    private Orders() {}

    /**
     * Serves orders.
     *
     * @param args seconds (5)
     * @throws InterruptedException never
     */
    public static void main(String[] args) throws InterruptedException {
        Duration time = Duration.ofSeconds(args.length > 0 ? Integer.parseInt(args[0]) : 5);
        int served = new Orders().serve(Instant.now().plus(time));
        System.out.println("served " + (served > 0 ? "orders" : "nothing"));
    }

    private int serve(Instant end) throws InterruptedException {
        int served = 0;
        while (Instant.now().isBefore(end)) {
            remember(served);
            receipt(parse(served));
            served++;
            if (served % 10 == 0) {
                Thread.sleep(1);
            }
        }
        return served;
    }

    /** The leak. */
    private void remember(int customer) {
        customers.put(customer, new StringBuilder(300));
    }

    private static List<String> parse(int order) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            lines.add("article " + order + "/" + i);
        }
        return lines;
    }

    private static int receipt(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString().length();
    }
}
