// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.function.Supplier;

/** First runs of code that allocates something itself, some of it while the JVM works. */
final class AllocatingCases {

    private record Point(int x, String name) {}

    private enum Color {
        RED,
        GREEN
    }

    private interface Shape {}

    private static final class Trivial {
        static int one() {
            return 1;
        }
    }

    private static final class Initialised {
        static final int[] TABLE = new int[100];

        static int size() {
            return TABLE.length;
        }
    }

    private enum Initialising {
        ONE;

        static int count() {
            return 1;
        }
    }

    private static final class ByName {
        static final byte[] TABLE = new byte[500];
    }

    private static final Map<String, String> MAP = new HashMap<>();

    @SuppressWarnings("unused")
    private static volatile Object sink;

    private static volatile Object nothing;
    private static volatile int count;
    private static String text = "abc";

    private AllocatingCases() {}

    /** Each allocates something itself, on each run or on its first. */
    static Map<String, ThrowingRunnable> beyond() {
        Map<String, ThrowingRunnable> cases = new LinkedHashMap<>();
        plain(cases);
        throwing(cases);
        called(cases);
        return cases;
    }

    private static void plain(Map<String, ThrowingRunnable> cases) {
        cases.put("an object", () -> sink = new Object());
        cases.put("an array", () -> sink = new byte[16]);
        cases.put("a String that is made", () -> sink = new String(new char[] {'a'}));
        cases.put(
                "a String beside a literal",
                () -> sink = MAP.getOrDefault("no key", new String("b")));
        cases.put(
                "an int[] beside a static", () -> sink = count == -1 ? Trivial.one() : new int[1]);
        cases.put("a boxed number", () -> sink = count + 1_000_000);
        cases.put("varargs", () -> isTrue(Objects.hash(count, count) == 1));
        cases.put("a clone", () -> sink = Array.newInstance(Color.class, 3));
        cases.put("an enum's values", () -> sink = Color.values());
        cases.put("a number's text", () -> sink = Integer.toString(count + 12_345));
        cases.put("a class copied", () -> sink = Point.class.getDeclaredMethods());
        cases.put("a method type", () -> sink = MethodHandles.lookup());
        cases.put("a lambda that captures", () -> sink = capture(text));
        cases.put("a thread", () -> sink = new Thread(() -> {}));
    }

    private static void throwing(Map<String, ThrowingRunnable> cases) {
        cases.put("no such class", () -> missing("no.such.Class"));
        cases.put("no such class in a loader", () -> load("no.such.Class"));
        cases.put("a null", AllocatingCases::dereference);
        cases.put("an index", AllocatingCases::exceed);
        cases.put("a cast", AllocatingCases::cast);
        cases.put("a division", AllocatingCases::divide);
        cases.put("a negative size", AllocatingCases::negative);
    }

    private static void called(Map<String, ThrowingRunnable> cases) {
        cases.put("a static initialiser", () -> count += Initialised.size());
        cases.put("an enum's initialiser", () -> count += Initialising.count());
        cases.put(
                "an initialiser by name",
                () -> Class.forName(AllocatingCases.class.getName() + "$ByName"));
        cases.put("a loader of its own", () -> new Loader().loadClass("anything"));
        cases.put("a new loader of the JDK", AllocatingCases::newLoader);
        cases.put("a bundle's control", () -> ResourceBundle.getBundle("made", new Control()));
        cases.put(
                "a bundle's contents",
                () -> sink = ResourceBundle.getBundle(Big.class.getName()).getKeys());
        cases.put("toString", () -> isTrue(("" + new Talkative()).isEmpty()));
        cases.put("what looks like JaCoCo's", () -> isTrue($jacocoInit().length == 1));
        cases.put("an initial value", () -> sink = ThreadLocal.withInitial(() -> new int[9]).get());
        cases.put(
                "a memo", () -> new TreeMap<Integer, Object>().computeIfAbsent(1, k -> new int[9]));
        cases.put("a proxy", AllocatingCases::proxy);
        cases.put(
                "a lookup", () -> sink = MethodType.methodType(Big.class, Loader.class, int.class));
    }

    private static Supplier<String> capture(String value) {
        return () -> value;
    }

    @SuppressWarnings("MemberName")
    private static boolean[] $jacocoInit() {
        return new boolean[count + 1_000];
    }

    private static void isTrue(boolean value) {
        count += value ? 1 : 0;
    }

    private static void missing(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException e) {
            count++;
        }
    }

    private static void load(String name) {
        try {
            AllocatingCases.class.getClassLoader().loadClass(name);
        } catch (ClassNotFoundException e) {
            count++;
        }
    }

    private static void dereference() {
        try {
            count += nothing.hashCode();
        } catch (NullPointerException e) {
            count++;
        }
    }

    private static void exceed() {
        try {
            count += text.charAt(text.length() + 3);
        } catch (IndexOutOfBoundsException e) {
            count++;
        }
    }

    private static void cast() {
        try {
            sink = (Shape) (Object) text;
        } catch (ClassCastException e) {
            count++;
        }
    }

    private static void divide() {
        try {
            count /= text.length() - 3;
        } catch (ArithmeticException e) {
            count++;
        }
    }

    private static void negative() {
        try {
            sink = new int[text.length() - 4];
        } catch (NegativeArraySizeException e) {
            count++;
        }
    }

    private static void newLoader() throws Exception {
        URL[] here = {AllocatingCases.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(here, null)) {
            sink = loader.loadClass(Trivial.class.getName());
        }
    }

    private static void proxy() {
        Class<?>[] types = {Supplier.class};
        sink =
                Proxy.newProxyInstance(
                        AllocatingCases.class.getClassLoader(), types, (p, m, a) -> null);
    }

    private static final class Talkative {
        @Override
        public String toString() {
            sink = new byte[1_000];
            return "x";
        }
    }

    /** Makes objects on demand. */
    private static final class Loader extends ClassLoader {
        @Override
        public Class<?> loadClass(String name) {
            sink = new byte[1_000];
            return Loader.class;
        }
    }

    private static final class Control extends ResourceBundle.Control {
        @Override
        public ResourceBundle newBundle(
                String name, Locale locale, String format, ClassLoader loader, boolean reload) {
            sink = new byte[1_000];
            return new Bundle();
        }
    }

    /** An empty bundle. */
    public static final class Bundle extends ListResourceBundle {
        private static final Object[][] CONTENTS = {};

        @Override
        protected Object[][] getContents() {
            return CONTENTS;
        }
    }

    /** One that makes its contents. */
    public static final class Big extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"key", new byte[1_000]}};
        }
    }
}
