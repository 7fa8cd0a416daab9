// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;

/** Code in class loaders of its own, as containers have them. */
final class Guests {

    /** Bytes that {@link Loader} wastes for each class. */
    static final int WASTE = 64 * 1024;

    @SuppressWarnings("unused")
    private static volatile Object sink;

    private Guests() {}

    /** Calls a class that is not loaded before. */
    public static final class Calling implements Runnable {
        @Override
        public void run() {
            Called.count++;
        }
    }

    /** Is called. */
    public static final class Called {
        static int count;
    }

    /** Calls a class that its loader does not find. */
    public static final class Missing implements Runnable {
        @Override
        public void run() {
            try {
                Absent.count++;
            } catch (NoClassDefFoundError e) {
                // As expected.
            }
        }
    }

    /** Is there, but not for {@link Loader}. */
    public static final class Absent {
        static int count;
    }

    /** Calls a class for which its loader throws what it likes. */
    public static final class Breaking implements Runnable {
        @Override
        public void run() {
            try {
                Broken.count++;
            } catch (IllegalStateException e) {
                // As expected.
            }
        }
    }

    /** Cannot be loaded by {@link Loader}. */
    public static final class Broken {
        static int count;
    }

    /** Loads the classes above itself, and wastes memory for each. */
    static final class Loader extends ClassLoader {

        Loader() {
            super(Guests.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(Guests.class.getName() + "$")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            sink = new byte[WASTE];
            if (name.endsWith("Absent")) {
                throw new ClassNotFoundException(name);
            }
            if (name.endsWith("Broken")) {
                throw new IllegalStateException(name);
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] file = in.readAllBytes();
                return defineClass(name, file, 0, file.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** Wastes memory, and finds nothing without saying so. */
    static final class Mute extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) {
            sink = new byte[WASTE];
            return null;
        }
    }

    /** Says in its own way that a class is missing. */
    @SuppressWarnings("serial")
    static final class PluginMissing extends ClassNotFoundException {}

    /** Wastes memory, and finds nothing. */
    static final class Plugins extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            sink = new byte[WASTE];
            throw new PluginMissing();
        }
    }

    /** Code in a new loader that is a class of the tests. */
    static Runnable inLoader(Class<? extends Runnable> type) {
        return in(new Loader(), type);
    }

    /** Code in a new loader of the JDK. */
    static Runnable inUrlLoader(Class<? extends Runnable> type) {
        URL here = Guests.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        return in(new URLClassLoader(new URL[] {here}, platform), type);
    }

    private static Runnable in(ClassLoader loader, Class<? extends Runnable> type) {
        try {
            return (Runnable)
                    loader.loadClass(type.getName()).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
