// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A diver whose compiled code relies on no class overriding what it calls. Copies of it are loaded
 * anew for each storm; what overrides comes later.
 */
public class Descent implements Diver {

    private static final String[] LATE = {
        "walk.Descent$Deeper", "walk.Descent$Heavier", "walk.Descent$Wider"
    };

    static final int STORMS = LATE.length;

    private final Weight weight = new Weight();
    private final Width width = new Width();
    private final MethodHandle[] ways = new MethodHandle[2];
    private boolean byHandle;

    /** For {@link Loader#make}. */
    public Descent() {
        try {
            MethodType type =
                    MethodType.methodType(Object.class, int.class, long.class, Runnable.class);
            ways[0] = MethodHandles.lookup().bind(this, "handled", type);
            ways[1] = MethodHandles.lookup().bind(this, "handledToo", type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The variant that calls itself through method handles. */
    public static final class ByHandle extends Descent {
        /** For {@link Loader#make}. */
        public ByHandle() {
            super.byHandle = true;
        }
    }

    static class Weight {
        int of(int depth) {
            return depth & 3;
        }
    }

    static class Width {
        int of(int depth) {
            return depth & 7;
        }
    }

    static final class Heavier extends Weight {
        @Override
        int of(int depth) {
            return depth + 1;
        }
    }

    static final class Wider extends Width {
        @Override
        int of(int depth) {
            return depth + 2;
        }
    }

    static final class Deeper extends Descent {
        @Override
        Object down(int depth, long way, Runnable bottom) throws Throwable {
            return super.down(depth, way, bottom);
        }
    }

    @Override
    public Object dive(int depth, long way, Runnable bottom) throws Throwable {
        return byHandle ? handled(depth, way, bottom) : down(depth, way, bottom);
    }

    @Override
    public void load(int number) {
        try {
            Class.forName(LATE[number], true, Descent.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    Object down(int depth, long way, Runnable bottom) throws Throwable {
        if (depth == 0) {
            bottom.run();
            return this;
        }
        Object below = null;
        try {
            if ((way & 1) == 0) {
                below = down(depth - 1, way >>> 1, bottom);
            } else {
                Sink.last = new Object();
                below = down(depth - 1, way >>> 1, bottom);
            }
        } catch (Surfacing e) {
            if ((depth & 3) != 0) {
                throw e;
            }
            Sink.last = new int[2];
        }
        Sink.last = new int[weight.of(depth) + width.of(depth)];
        return below;
    }

    Object handled(int depth, long way, Runnable bottom) throws Throwable {
        if (depth == 0) {
            bottom.run();
            return this;
        }
        Object below;
        if ((way & 1) == 0) {
            below = (Object) ways[depth & 1].invokeExact(depth - 1, way >>> 1, bottom);
            Sink.last = new int[weight.of(depth)];
        } else {
            below = (Object) ways[1].invokeExact(depth - 1, way >>> 1, bottom);
            Sink.last = new long[width.of(depth)];
        }
        return below;
    }

    Object handledToo(int depth, long way, Runnable bottom) throws Throwable {
        if (depth == 0) {
            return handled(depth, way, bottom);
        }
        Object below = (Object) ways[0].invokeExact(depth - 1, way >>> 1, bottom);
        Sink.last = new char[width.of(depth) + weight.of(depth)];
        return below;
    }
}
