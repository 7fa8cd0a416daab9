// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import java.util.concurrent.SynchronousQueue;

/** A thread that lives on between pieces of work, each done while the caller waits. */
final class Worker {

    private static final Runnable END = () -> {};

    private final SynchronousQueue<Runnable> work = new SynchronousQueue<>();
    private final SynchronousQueue<Object> done = new SynchronousQueue<>();
    private final Thread thread = new Thread(this::loop, "worker");

    Worker() {
        thread.setDaemon(true);
        thread.start();
    }

    private void loop() {
        try {
            for (Runnable next = work.take(); next != END; next = work.take()) {
                Object outcome = this;
                try {
                    next.run();
                } catch (RuntimeException | Error e) {
                    outcome = e;
                }
                done.put(outcome);
            }
        } catch (InterruptedException e) {
            // The end as well.
        }
    }

    Thread thread() {
        return thread;
    }

    void run(Runnable task) throws InterruptedException {
        work.put(task);
        if (done.take() instanceof Throwable failure) {
            throw new AssertionError("in the worker", failure);
        }
    }

    void end() throws InterruptedException {
        work.put(END);
        Await.end(thread);
    }
}
