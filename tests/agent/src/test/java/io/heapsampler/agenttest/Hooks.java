// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import java.lang.reflect.Array;
import java.util.concurrent.Callable;

/** Each way in which Java code can allocate, in a method of its own. */
final class Hooks {

    private static final int TIMES = 20_000;

    /** Allocated objects go here, so that the compiler keeps them. */
    static volatile Object sink;

    private Hooks() {}

    /** Something to allocate. */
    public static final class Box implements Cloneable {

        private long value;

        /** For reflection. */
        public Box() {
            value++;
        }

        Object copy() {
            try {
                return clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(value + "", e);
            }
        }
    }

    static void run() throws Exception {
        Box box = new Box();
        int[] numbers = new int[40];
        repeat(Hooks::viaNew);
        repeat(Hooks::viaNewarray);
        repeat(Hooks::viaAnewarray);
        repeat(Hooks::viaMultianewarray);
        repeat(Hooks::viaArrayNewInstance);
        repeat(Hooks::viaArrayNewInstanceOfDimensions);
        repeat(Hooks::viaClassNewInstance);
        repeat(Hooks::viaConstructor);
        repeat(() -> viaClone(box));
        repeat(() -> viaArrayClone(numbers));
    }

    private static void repeat(Callable<Object> allocation) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            sink = allocation.call();
        }
    }

    private static Object viaNew() {
        return new Box();
    }

    private static Object viaNewarray() {
        return new int[40];
    }

    private static Object viaAnewarray() {
        return new String[40];
    }

    private static Object viaMultianewarray() {
        return new long[4][10];
    }

    private static Object viaArrayNewInstance() {
        return Array.newInstance(Box.class, 40);
    }

    private static Object viaArrayNewInstanceOfDimensions() {
        return Array.newInstance(Box.class, 4, 10);
    }

    @SuppressWarnings("deprecation") // It is one of the ways.
    private static Object viaClassNewInstance() throws ReflectiveOperationException {
        return Box.class.newInstance();
    }

    private static Object viaConstructor() throws ReflectiveOperationException {
        return Box.class.getConstructor().newInstance();
    }

    private static Object viaClone(Box box) {
        return box.copy();
    }

    private static Object viaArrayClone(int[] numbers) {
        return numbers.clone();
    }
}
