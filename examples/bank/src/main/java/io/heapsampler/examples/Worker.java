// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import java.util.concurrent.atomic.AtomicLong;

/** A thread that does one piece of work after the other until it is told to stop. */
final class Worker {

    /** A piece of work, which returns how much it has done. */
    interface Work {
        int run() throws Exception;
    }

    private final Work work;
    private final Thread thread;
    private final AtomicLong done = new AtomicLong();
    private volatile boolean stopping;
    private volatile Exception failure;

    Worker(String name, Work work) {
        this.work = work;
        this.thread = new Thread(this::loop, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void loop() {
        try {
            while (!stopping) {
                done.addAndGet(work.run());
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    /** Returns how much has been done. */
    long done() {
        return done.get();
    }

    /** Throws what has gone wrong, if anything has. */
    void check() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the thread after its current piece of work. */
    void stop() throws Exception {
        stopping = true;
        thread.join();
        check();
    }
}
