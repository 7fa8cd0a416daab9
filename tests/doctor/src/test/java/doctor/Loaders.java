// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A class loader for each job, as script engines and mappers have. */
final class Loaders implements Program {

    private static final int RESTS_EVERY = 128;

    /** When starting up, so that a collector beside it ends a cycle at each threshold. */
    private static final int LOADING_RESTS_EVERY = 16;

    private final List<Object> kept = new ArrayList<>();
    private final byte[] code = code();
    private final int most;
    private final boolean isForgetful;
    private final boolean isServing;

    private Loaders(int most, boolean isForgetful, boolean isServing) {
        this.most = most;
        this.isForgetful = isForgetful;
        this.isServing = isServing;
    }

    /** None is forgotten. */
    static Loaders leaking() {
        return new Loaders(Integer.MAX_VALUE, false, false);
    }

    /** The same in a service that gets so far at once, and on from there job by job. */
    static Loaders serving() {
        return new Loaders(5_000, false, true);
    }

    /** None is kept. */
    static Loaders passing() {
        return new Loaders(Integer.MAX_VALUE, true, false);
    }

    /** An application that loads its classes when it starts, and no more then. */
    static Loaders startingUp(int classes) {
        return new Loaders(classes, false, false);
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
            if (isServing) {
                serve(i < most ? 0 : 5);
            } else if (i < most) {
                load();
                if (most < Integer.MAX_VALUE) {
                    rest(i, LOADING_RESTS_EVERY);
                }
            } else {
                Sink.last = new byte[1024];
                rest(i, RESTS_EVERY);
            }
        }
    }

    /** Collectors beside it keep up. */
    private static void rest(int i, int every) throws InterruptedException {
        if (i % every == 0) {
            Thread.sleep(1);
        }
    }

    /** Lets all of them go. */
    void forget() {
        kept.clear();
    }

    private void serve(int restMillis) throws Exception {
        try {
            load();
            Thread.sleep(restMillis);
        } catch (OutOfMemoryError e) {
            Thread.sleep(1_000); // And the next job.
        }
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
