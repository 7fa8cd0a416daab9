// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;

/** Classes without end: hidden ones, and named ones, each in a class loader of its own. */
final class FreshClasses {

    /** The name of the hidden classes, as snapshots have it. */
    static final String HIDDEN = Fresh00000000.class.getName();

    private static final String PREFIX = "Fresh";
    private static final int DIGITS = 8;

    private final byte[] template;
    private final int[] places;

    FreshClasses() throws IOException {
        try (InputStream in = Fresh00000000.class.getResourceAsStream("Fresh00000000.class")) {
            template = in.readAllBytes();
        }
        byte[] name = Fresh00000000.class.getSimpleName().getBytes(StandardCharsets.US_ASCII);
        int last = template.length - name.length;
        places =
                java.util.stream.IntStream.rangeClosed(0, last)
                        .filter(
                                i ->
                                        Arrays.equals(
                                                template, i, i + name.length, name, 0, name.length))
                        .toArray();
    }

    /** Defines and initialises a hidden class, which is unloaded when it is no longer used. */
    void hide() throws IllegalAccessException {
        MethodHandles.lookup().defineHiddenClass(template, true);
    }

    /** Loads and initialises a class of that number. */
    Class<?> load(int number) throws ClassNotFoundException {
        byte[] bytes = template.clone();
        byte[] digits = digits(number).getBytes(StandardCharsets.US_ASCII);
        for (int place : places) {
            System.arraycopy(digits, 0, bytes, place + PREFIX.length(), DIGITS);
        }
        return Class.forName(name(number), true, new Loader(bytes));
    }

    /**
     * Loads a class and returns an object of it, which allocates a large array of its own class.
     */
    @SuppressWarnings("unchecked") // the template is one
    Supplier<Object> probe(int number) throws ReflectiveOperationException {
        return (Supplier<Object>) load(number).getDeclaredConstructor().newInstance();
    }

    /** Returns the name of the class of that number. */
    static String name(int number) {
        return FreshClasses.class.getPackageName() + "." + PREFIX + digits(number);
    }

    private static String digits(int number) {
        String all = "0".repeat(DIGITS) + number;
        return all.substring(all.length() - DIGITS);
    }

    private static final class Loader extends ClassLoader {

        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(FreshClasses.class.getClassLoader());
            this.bytes = bytes;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
