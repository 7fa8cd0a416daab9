// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** An element of an array so large that it comes in slices; all elements move all the time. */
public final class MovingElement extends Case {

    private record Target(Object[] other) {}

    /** In slices also where a pass has 200 ms. */
    private static final int PLACES = 450_000;

    /** Others that have references. */
    private static final int EACH = 64;

    private static final long NANOS = 250_000;
    private static final Object[] ARRAY = new Object[PLACES];

    private volatile boolean isOver;

    @Override
    public Object hold() throws Exception {
        Object plain = new Object();
        for (int i = 0; i < PLACES; i++) {
            ARRAY[i] = i % EACH == 0 ? new Object[1] : plain;
        }
        Target target = new Target(new Object[1]);
        ARRAY[PLACES / 2] = target;
        Waiting.thread(this::move).start();
        return target;
    }

    /** The first becomes the last, as in a queue. */
    private void move() {
        while (!isOver) {
            Object first = ARRAY[0];
            System.arraycopy(ARRAY, 1, ARRAY, 0, PLACES - 1);
            ARRAY[PLACES - 1] = first;
            LockSupport.parkNanos(NANOS);
        }
    }

    @Override
    public List<String> paths() {
        return List.of("static MovingElement.ARRAY: Object[] > []: MovingElement$Target");
    }

    /** Until JDK 18 each pass looks at all objects, and there are hundreds of slices. */
    @Override
    public int since() {
        return 21;
    }

    @Override
    public void release() {
        isOver = true;
    }
}
