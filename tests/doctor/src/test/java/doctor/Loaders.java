// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A class loader for each job, as script engines and mappers have. */
final class Loaders implements Program {

    private final List<Object> kept = new ArrayList<>();
    private final byte[] code = code();
    private final int most;
    private final boolean isForgetful;

    private Loaders(int most, boolean isForgetful) {
        this.most = most;
        this.isForgetful = isForgetful;
    }

    /** None is forgotten. */
    static Loaders leaking() {
        return new Loaders(Integer.MAX_VALUE, false);
    }

    /** None is kept. */
    static Loaders passing() {
        return new Loaders(Integer.MAX_VALUE, true);
    }

    /** An application that loads its classes when it starts, and no more then. */
    static Loaders startingUp(int classes) {
        return new Loaders(classes, false);
    }

    private static byte[] code() {
        try (InputStream in = Tiny.class.getResourceAsStream("Tiny.class")) {
            return in.readAllBytes();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void run(BooleanSupplier running) throws Exception {
        for (int i = 0; running.getAsBoolean(); i++) {
            if (i < most) {
                load();
            } else {
                Sink.last = new byte[1024];
            }
        }
    }

    /** Lets all of them go. */
    void forget() {
        kept.clear();
    }

    private void load() throws ReflectiveOperationException {
        Object made =
                new TinyLoader(code)
                        .loadClass("doctor.Tiny")
                        .getDeclaredConstructor()
                        .newInstance();
        if (isForgetful) {
            Sink.last = made;
        } else {
            kept.add(made);
        }
    }

    private static final class TinyLoader extends ClassLoader {

        private final byte[] code;

        TinyLoader(byte[] code) {
            super(null);
            this.code = code;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, code, 0, code.length);
        }
    }
}
