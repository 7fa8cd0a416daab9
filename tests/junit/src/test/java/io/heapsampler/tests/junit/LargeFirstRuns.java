// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;

/** First runs that allocate much more than a limit, in ways that look like the JVM's own work. */
final class LargeFirstRuns {

    /** Code, and a limit that it exceeds unless a part of it is not counted. */
    record Beyond(String limit, ThrowingRunnable code) {}

    private interface Load {
        Class<?> load(String name) throws ClassNotFoundException;
    }

    private static final Method LOAD_CLASS = loadClass();
    private static final int CALLS = 20_000;
    private static final BigInteger A = BigInteger.ONE.shiftLeft(1_000).subtract(BigInteger.TEN);
    private static final BigInteger B = BigInteger.ONE.shiftLeft(900).subtract(BigInteger.TEN);
    private static final char[] IDEOGRAPHS = new char[200];

    static {
        Arrays.fill(IDEOGRAPHS, '\u4e00');
    }

    @SuppressWarnings("unused")
    private static volatile Object sink;

    private static String text = "abc";

    private LargeFirstRuns() {}

    static Map<String, Beyond> all() throws IOException {
        Map<String, Beyond> cases = new LinkedHashMap<>();
        compiled(cases);
        cases.put("a proxy that cannot be made", new Beyond("500 B", LargeFirstRuns::proxy));
        bundles(cases);
        again(cases);
        loaders(cases);
        return cases;
    }

    /** Loads that would come again, or of which that is not known. */
    private static void loaders(Map<String, Beyond> cases) {
        cases.put("a class that is missing", once(Guests.Missing.class));
        cases.put("a class that is broken", once(Guests.Breaking.class));
        cases.put(
                "a class of a new loader", // loaded by its name, and another one for that
                new Beyond("100 KB", () -> Guests.inLoader(Guests.Calling.class).run()));
        cases.put("a proxy in a new loader", new Beyond("8 KB", LargeFirstRuns::proxyOfLoader));
        ClassLoader mute = new Guests.Mute();
        cases.put("a loader that answers nothing", new Beyond("32 KB", () -> askFor("a.B", mute)));
        ClassLoader plugins = new Guests.Plugins();
        cases.put(
                "a loader with an exception of its own",
                new Beyond("32 KB", () -> askFor("a.B", plugins)));
        String name = Guests.Called.class.getName();
        Load byReference = new Guests.Loader()::loadClass;
        cases.put(
                "a loader called by a method reference",
                new Beyond("32 KB", () -> sink = byReference.load(name)));
        ClassLoader byReflection = new Guests.Loader();
        cases.put(
                "a loader called by reflection",
                new Beyond("32 KB", () -> sink = LOAD_CLASS.invoke(byReflection, name)));
        MethodHandle byHandle = handle().bindTo(new Guests.Loader());
        cases.put(
                "a loader called by a method handle",
                new Beyond("32 KB", () -> sink = byHandle.invoke(name)));
    }

    private static Beyond once(Class<? extends Runnable> type) {
        Runnable code = Guests.inLoader(type);
        return new Beyond("32 KB", code::run);
    }

    private static Method loadClass() {
        try {
            return ClassLoader.class.getMethod("loadClass", String.class);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle handle() {
        try {
            return MethodHandles.publicLookup().unreflect(LOAD_CLASS);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** The compiler allocates these in the calling method, where no instruction does. */
    private static void compiled(Map<String, Beyond> cases) {
        for (int i = 0; i < 5; i++) {
            concatenate(CALLS);
            multiply(CALLS);
            decode(CALLS);
        }
        cases.put("compiled concatenation", new Beyond("350 KB", () -> concatenate(10_000)));
        cases.put("a compiled product", new Beyond("400 KB", () -> multiply(1_000)));
        cases.put("a compiled String of UTF-16", new Beyond("450 KB", () -> decode(1_000)));
    }

    private static void concatenate(int times) {
        for (int i = 0; i < times; i++) {
            sink = text + i;
        }
    }

    private static void multiply(int times) {
        for (int i = 0; i < times; i++) {
            sink = A.multiply(B);
        }
    }

    private static void decode(int times) {
        for (int i = 0; i < times; i++) {
            sink = new String(IDEOGRAPHS);
        }
    }

    /** The loader does not see the interface. */
    private static void proxy() {
        ClassLoader loader = ClassLoader.getPlatformClassLoader();
        try {
            sink =
                    Proxy.newProxyInstance(
                            loader, new Class<?>[] {ThrowingRunnable.class}, (p, m, a) -> null);
        } catch (IllegalArgumentException e) {
            sink = e;
        }
    }

    private static void bundles(Map<String, Beyond> cases) throws IOException {
        cases.put(
                "contents of a bundle of one's own",
                new Beyond("4 KB", () -> sink = new Keys().getObject("k1")));
        cases.put("the same again", new Beyond("4 KB", () -> sink = new Keys().getObject("k1")));
        ClassLoader loader = withProperties("manykeys");
        cases.put(
                "properties for a control",
                new Beyond("64 KB", () -> sink = anew("manykeys", loader)));
        cases.put(
                "properties for a control again",
                new Beyond("64 KB", () -> sink = anew("manykeys", loader)));
    }

    /** What is cached, and made again nevertheless. */
    private static void again(Map<String, Beyond> cases) throws IOException {
        ClassLoader loader = withProperties("cleared");
        cases.put(
                "properties that are forgotten",
                new Beyond(
                        "64 KB",
                        () -> {
                            sink = ResourceBundle.getBundle("cleared", Locale.ROOT, loader);
                            ResourceBundle.clearCache();
                            ResourceBundle.clearCache(loader);
                        }));
        cases.put(
                "properties of a new loader",
                new Beyond(
                        "64 KB",
                        () -> {
                            ClassLoader made = withProperties("anew");
                            sink = ResourceBundle.getBundle("anew", Locale.ROOT, made);
                        }));
        cases.put("loggers of many names", new Beyond("32 KB", LargeFirstRuns::loggers));
        cases.put("a character set that is missing", new Beyond("500 B", LargeFirstRuns::charset));
    }

    private static void askFor(String name, ClassLoader loader) {
        try {
            sink = Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            sink = null;
        }
    }

    private static void proxyOfLoader() {
        ClassLoader made = new ClassLoader(LargeFirstRuns.class.getClassLoader()) {};
        Class<?>[] types = {Runnable.class};
        sink = Proxy.newProxyInstance(made, types, (proxy, method, arguments) -> null);
    }

    private static void loggers() {
        for (int i = 0; i < 100; i++) {
            sink = System.getLogger("first.runs." + i);
        }
    }

    private static void charset() {
        try {
            sink = Charset.forName("no-such-set");
        } catch (UnsupportedCharsetException e) {
            sink = e;
        }
    }

    private static ResourceBundle anew(String name, ClassLoader loader) {
        return ResourceBundle.getBundle(name, Locale.ROOT, loader, new Uncached());
    }

    private static ClassLoader withProperties(String name) throws IOException {
        Path directory = Files.createTempDirectory("bundles");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            lines.append("key").append(i).append("=value\n");
        }
        Path file = Files.writeString(directory.resolve(name + ".properties"), lines);
        file.toFile().deleteOnExit();
        directory.toFile().deleteOnExit();
        return new URLClassLoader(new URL[] {directory.toUri().toURL()});
    }

    /** Has its contents in a table of its own for each instance. */
    public static final class Keys extends ListResourceBundle {
        private static final Object[][] CONTENTS = new Object[500][];

        static {
            Arrays.setAll(CONTENTS, i -> new Object[] {"k" + i, "v"});
        }

        @Override
        protected Object[][] getContents() {
            return CONTENTS;
        }
    }

    private static final class Uncached extends ResourceBundle.Control {
        @Override
        public long getTimeToLive(String name, Locale locale) {
            return TTL_DONT_CACHE;
        }

        @Override
        public List<String> getFormats(String name) {
            return FORMAT_PROPERTIES;
        }
    }
}
