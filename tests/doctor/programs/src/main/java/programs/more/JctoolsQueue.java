// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.jctools.queues.MpscUnboundedArrayQueue;

import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Faulty: the thread that drains the queue of audit events dies of an event without a customer, and
 * the requests go on adding events.
 */
public final class JctoolsQueue {

    private static final int REQUESTS = 120_000;

    private static final int FIRST_WITHOUT_CUSTOMER = 5_000;

    /** Services live to the end: one that ended with main would no longer be a leak then. */
    private static final JctoolsQueue SERVICE = new JctoolsQueue();

    private final Queue<Event> events = new MpscUnboundedArrayQueue<>(1_024);

    private long drained;

    private record Event(String customer, char[] body) {}

    private void drain() {
        while (true) {
            Event event = events.poll();
            if (event == null) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            } else {
                drained += event.customer().length() + event.body().length;
            }
        }
    }

    private void handle(int number) {
        String customer = number == FIRST_WITHOUT_CUSTOMER ? null : "customer " + number;
        String body = ("order " + number + " of " + customer + "; ").repeat(14);
        events.add(new Event(customer, body.toCharArray()));
    }

    public static void main(String... args) throws InterruptedException {
        Thread drainer = new Thread(SERVICE::drain, "audit");
        drainer.setDaemon(true);
        drainer.start();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Load.spread(REQUESTS, args, number -> pool.execute(() -> SERVICE.handle(number)));
        pool.shutdown();
        System.out.println("done " + pool.awaitTermination(10, TimeUnit.SECONDS));
        System.out.println("drained " + SERVICE.drained + ", queued " + SERVICE.events.size());
    }
}
