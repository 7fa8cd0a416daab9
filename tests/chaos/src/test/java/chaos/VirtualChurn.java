// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.VirtualThreads;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads (JDK 21 and later) that allocate, yield and park; the amount is their number. */
final class VirtualChurn implements Scenario {

    private static final int AT_ONCE = 2_000;
    private static final int PATIENCE_SECONDS = 60;

    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final AtomicLong ended = new AtomicLong();
    private final VirtualThreads threads = new VirtualThreads();

    VirtualChurn() throws ReflectiveOperationException {}

    @Override
    public String run(long amount) throws Exception {
        for (long i = 0; i < amount; i++) {
            long number = i;
            require(permits.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS));
            Thread unused = threads.start(() -> live(number));
        }
        require(permits.tryAcquire(AT_ONCE, PATIENCE_SECONDS, TimeUnit.SECONDS));
        permits.release(AT_ONCE);
        require(ended.get() >= amount);
        return "";
    }

    private void require(boolean isTrue) {
        if (!isTrue) {
            throw new IllegalStateException("virtual threads hang: " + ended.get() + " have ended");
        }
    }

    private void live(long number) {
        try {
            Junk.make(new SplittableRandom(number), 1);
            if (number % 16 == 0) {
                Thread.yield();
                Junk.keep((int) number, new byte[2_048]);
            }
            if (number % 64 == 0) {
                LockSupport.parkNanos(10_000);
                Junk.keep((int) number, new byte[2_048]);
            }
        } finally {
            ended.incrementAndGet();
            permits.release();
        }
    }
}
