// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.VirtualThreads;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads (JDK 21 and later) that park, yield and are pinned at any depth: on their return
 * part of their frames may still be in the heap.
 */
public final class Virtual implements Scenario {

    private static final int THREADS = 24;
    private static final int DEPTH = 40;
    private static final int DIVES = 6;

    private final SplittableRandom random = new SplittableRandom(444);
    private final Queue<Thread> parked = new ConcurrentLinkedQueue<>();
    private final long rests;
    private final VirtualThreads virtual = new VirtualThreads();
    private final Method pinning;

    /**
     * Prepares the work.
     *
     * @param rests a power of two: in one of this many frames the thread releases its carrier
     */
    Virtual(int rests) throws ReflectiveOperationException {
        this.rests = rests;
        pinning = Virtual.class.getDeclaredMethod("down", int.class, long.class);
    }

    @Override
    public void round() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long seed = random.nextLong();
            threads.add(virtual.start(() -> work(new SplittableRandom(seed))));
        }
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                Thread next = parked.poll();
                if (next != null) {
                    LockSupport.unpark(next);
                } else {
                    Thread.yield();
                }
            }
        }
    }

    private void work(SplittableRandom ways) {
        for (int i = 0; i < DIVES; i++) {
            down(ways.nextInt(DEPTH), ways.nextLong());
        }
    }

    private void down(int depth, long way) {
        Sink.last = new Object();
        long rest = way & (2 * rests - 1);
        if (rest == 0) {
            Thread.yield();
        } else if (rest == 1) {
            park();
        }
        if (depth > 0) {
            step((int) (way >>> 12 & 15), depth - 1, Long.rotateRight(way, 7) + depth);
        }
        Sink.last = new int[depth & 7]; // the first return to a frame in the heap is here
    }

    private void step(int kind, int depth, long way) {
        switch (kind) {
            case 0 -> locked(depth, way);
            case 1 -> byNative(depth, way);
            case 2, 3, 4 -> {
                Sink.last = new Object();
                down(depth, way);
            }
            default -> down(depth, way);
        }
    }

    private void park() {
        parked.add(Thread.currentThread());
        LockSupport.park(this);
    }

    /** Pins until JDK 23. */
    private void locked(int depth, long way) {
        synchronized (new Object()) {
            down(depth, way);
        }
    }

    /** Pins: there is a native frame. */
    private void byNative(int depth, long way) {
        try {
            pinning.invoke(this, depth, way);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
