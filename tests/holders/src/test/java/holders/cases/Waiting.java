// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import io.heapsampler.support.Until;
import io.heapsampler.support.VirtualThreads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Work that never ends: a thread in it stays where it is until the JVM ends. */
final class Waiting implements Runnable {

    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch inPlace = new CountDownLatch(1);
    private final Consumer<Waiting> body;

    Waiting() {
        this(Waiting::run);
    }

    /** A thread's work, in which it calls {@link #run} where it is to stay. */
    Waiting(Consumer<Waiting> body) {
        this.body = body;
    }

    /** Waits after something else. */
    static Waiting after(Runnable before) {
        return new Waiting(
                waiting -> {
                    before.run();
                    waiting.run();
                });
    }

    /** Starts a platform thread, waits until it is in place, and returns its id. */
    long start() throws Exception {
        Thread thread = thread(() -> body.accept(this));
        thread.start();
        await();
        return idOf(thread);
    }

    /** Starts a virtual thread and waits until it is parked. */
    Thread startVirtual() throws Exception {
        Thread thread = new VirtualThreads().start(() -> body.accept(this));
        await();
        Until.within(PATIENCE_SECONDS, () -> thread.getState() == Thread.State.WAITING);
        return thread;
    }

    void await() throws InterruptedException {
        inPlace.await();
    }

    @Override
    public void run() {
        inPlace.countDown();
        forever();
    }

    /** Stays. */
    static void forever() {
        while (true) {
            LockSupport.park();
        }
    }

    /** Makes a thread that does not keep the JVM alive. */
    static Thread thread(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    static long idOf(Thread thread) {
        return thread.getId();
    }
}
