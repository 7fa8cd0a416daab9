// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;

import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Healthy: a ring buffer of the Disruptor is full of old orders all the time, and each new order
 * takes the place of one that has been handled.
 */
public final class DisruptorOrders {

    private static final int ORDERS_A_SECOND = 4_000;

    private static final int RING = 1 << 14;

    private static final AtomicLong BILLED = new AtomicLong();

    private static final class Order {
        private int number;

        private String[] lines;

        void fill(int newNumber) {
            number = newNumber;
            lines = new String[20];
            for (int i = 0; i < lines.length; i++) {
                lines[i] = "order " + newNumber + " line " + i;
            }
        }

        String bill() {
            return number + "\n" + String.join("\n", lines);
        }
    }

    public static void main(String... args) {
        Disruptor<Order> disruptor =
                new Disruptor<>(
                        Order::new,
                        RING,
                        Executors.defaultThreadFactory(),
                        ProducerType.SINGLE,
                        new SleepingWaitStrategy(0, 1_000_000));
        disruptor.handleEventsWith(
                (order, sequence, isLast) -> BILLED.addAndGet(order.bill().length()));
        RingBuffer<Order> orders = disruptor.start();
        Load.at(
                ORDERS_A_SECOND,
                args,
                number -> orders.publishEvent((order, sequence) -> order.fill(number)));
        disruptor.shutdown();
        System.out.println("billed " + BILLED);
    }
}
