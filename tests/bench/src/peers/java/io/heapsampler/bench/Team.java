// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

/** Threads that do the same work side by side, and the clocks around it. */
final class Team implements AutoCloseable {

    // Enough for every thread to pass the sample point that was drawn with an older interval, in
    // objects so large that they are few.
    private static final int PRIMING_OBJECTS = 32;
    private static final int PRIMING_BYTES = 256 * 1024;

    /** What a block of work took, in nanoseconds; {@code threads} is the sum over the team. */
    record Block(double threads, double process, double wall) {}

    private enum Order {
        PRIME,
        WORK,
        GO_HOME
    }

    private final CyclicBarrier barrier;
    private final List<Worker> workers = new ArrayList<>();
    private volatile Order order = Order.GO_HOME;
    private volatile int times;

    Team(int threads, Callable<Workload> factory) throws Exception {
        barrier = new CyclicBarrier(threads + 1);
        for (int i = 0; i < threads; i++) {
            workers.add(new Worker(factory.call(), "worker-" + i));
        }
        workers.forEach(Thread::start);
    }

    int size() {
        return workers.size();
    }

    /** Lets a new interval hold for each thread. */
    void prime() throws Exception {
        give(Order.PRIME);
    }

    /** Lets each thread do its work this many times. */
    Block work(int times) throws Exception {
        this.times = times;
        long process = Native.processCpuNanos();
        long wall = System.nanoTime();
        give(Order.WORK);
        wall = System.nanoTime() - wall;
        process = Native.processCpuNanos() - process;
        double threads = workers.stream().mapToDouble(w -> w.nanos).sum();
        return new Block(threads, process, wall);
    }

    private void give(Order order) throws Exception {
        this.order = order;
        barrier.await();
        barrier.await();
        for (Worker worker : workers) {
            if (worker.failure != null) {
                throw new IllegalStateException("the work failed", worker.failure);
            }
        }
    }

    @Override
    public void close() {
        order = Order.GO_HOME;
        try {
            barrier.await();
            for (Worker worker : workers) {
                worker.join();
                worker.work.end();
            }
        } catch (Exception e) {
            throw new IllegalStateException("the team did not end", e);
        }
    }

    private final class Worker extends Thread {

        private final Workload work;
        private volatile long nanos;
        private volatile Throwable failure;
        private volatile Object sink = this;

        Worker(Workload work, String name) {
            super(name);
            setDaemon(true);
            this.work = work;
        }

        @Override
        public void run() {
            try {
                for (barrier.await(); order != Order.GO_HOME; barrier.await()) {
                    try {
                        obey();
                    } catch (Exception | Error e) {
                        failure = e;
                    }
                    barrier.await();
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                failure = e;
            }
        }

        private void obey() throws Exception {
            if (order == Order.PRIME) {
                for (int i = 0; i < PRIMING_OBJECTS; i++) {
                    sink = new byte[PRIMING_BYTES];
                }
                return;
            }
            long began = Native.threadCpuNanos();
            for (int i = times; i > 0; i--) {
                work.work();
            }
            nanos = Native.threadCpuNanos() - began;
        }
    }
}
