// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * Stacks of several parts: Java calls native code, or the JVM itself, which calls Java. By
 * reflection through native accessors, by class initialisers, by class loaders that the JVM asks.
 */
public final class Upcalls implements Scenario {

    private static final Map<String, byte[]> INITIALISED = Loader.copies(Initialised.class);
    private static final int DEPTH = 12;
    private static final int DIVES = 200;
    private static final ThreadLocal<Integer> LEFT = ThreadLocal.withInitial(() -> 0);

    private final SplittableRandom random = new SplittableRandom(9);
    private final Method method;
    private final Constructor<Bridge> constructor;
    private final MethodHandle handle;
    private final IntConsumer proxy;
    private long way;

    /** Continues the dive from its constructor. */
    static final class Bridge {
        Bridge(Upcalls upcalls, int depth) {
            upcalls.down(depth);
        }
    }

    /** Continues the dive from its initialiser; each copy does so once. */
    public static final class Initialised {
        static {
            continueFromInitialiser();
        }

        /** Not called. */
        private Initialised() {}
    }

    @SuppressWarnings("NonFinalStaticField")
    private static Upcalls only;

    Upcalls() throws ReflectiveOperationException {
        method = Upcalls.class.getDeclaredMethod("down", int.class);
        constructor = Bridge.class.getDeclaredConstructor(Upcalls.class, int.class);
        handle =
                MethodHandles.lookup()
                        .bind(this, "down", MethodType.methodType(void.class, int.class));
        proxy =
                (IntConsumer)
                        Proxy.newProxyInstance(
                                Upcalls.class.getClassLoader(),
                                new Class<?>[] {IntConsumer.class},
                                (self, called, arguments) -> method.invoke(this, arguments));
        only = this;
    }

    @Override
    public void round() {
        for (int i = 0; i < DIVES; i++) {
            way = random.nextLong();
            down(DEPTH);
        }
    }

    /** For copies of {@link Initialised}. */
    public static void continueFromInitialiser() {
        only.down(LEFT.get());
    }

    private void down(int depth) {
        Sink.last = new Object();
        if (depth > 0) {
            int kind = (int) (way & 15);
            way = Long.rotateRight(way, 4) + depth;
            try {
                bridge(kind, depth - 1);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
        Sink.last = new int[depth];
    }

    private void bridge(int kind, int depth) throws Throwable {
        switch (kind) {
            case 0, 1, 2 -> method.invoke(this, depth);
            case 3, 4 -> Sink.last = constructor.newInstance(this, depth);
            case 5, 6 -> handle.invoke(depth);
            case 7, 8 -> proxy.accept(depth);
            case 9 -> initialise(depth);
            default -> down(depth);
        }
    }

    private static void initialise(int depth) throws ClassNotFoundException {
        int before = LEFT.get();
        LEFT.set(depth);
        Class.forName(Initialised.class.getName(), true, new Loader(INITIALISED));
        LEFT.set(before);
    }
}
