// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.Code;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.URL;
import java.net.URLClassLoader;
import java.text.NumberFormat;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** First runs: of code that allocates little but makes the JVM work, and of code that allocates. */
final class FirstRunCases {

    /** Code that allocates no more than a limit if it is run again. */
    record Kept(String limit, Code code) {}

    private record Point(int x, String name) {}

    private enum Color {
        RED,
        GREEN
    }

    private sealed interface Shape permits Circle, Square {}

    private record Circle(int radius) implements Shape {}

    private record Square(int side) implements Shape {}

    private interface WithDefault {
        default int three() {
            return 3;
        }
    }

    private static final class Plain implements WithDefault {}

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
    private static final Plain PLAIN = new Plain();
    private static final Point P = new Point(1, "p");
    private static final Point Q = new Point(1, "p");
    private static final Shape SHAPE = new Circle(2);
    private static final VarHandle COUNT = count();

    @SuppressWarnings("unused")
    private static volatile Object sink;

    private static volatile Object nothing;
    private static volatile int count;
    private static String text = "abc";
    private static Color color = Color.RED;

    private FirstRunCases() {}

    private static VarHandle count() {
        try {
            return MethodHandles.lookup()
                    .findStaticVarHandle(FirstRunCases.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Each within its limit, once the JVM has done its own work. */
    static Map<String, Kept> kept() {
        Map<String, Kept> cases = new LinkedHashMap<>();
        language(cases);
        library(cases);
        return cases;
    }

    private static void language(Map<String, Kept> cases) {
        cases.put("a literal", new Kept("0 B", () -> MAP.get("a key")));
        cases.put("a lambda", new Kept("0 B", () -> call(() -> 1)));
        cases.put("a lambda that captures", new Kept("32 B", () -> callWith(text)));
        cases.put("a method reference", new Kept("0 B", () -> count += apply(String::length)));
        cases.put("concatenation", new Kept("200 B", () -> sink = "n=" + count + " " + text));
        cases.put(
                "concatenation of many kinds",
                new Kept("1 KB", () -> sink = "a" + 5L + count + 'c' + 2.5 * count + text + true));
        cases.put("instanceof an array", new Kept("0 B", () -> isTrue(sink instanceof Point[])));
        cases.put("a class literal", new Kept("0 B", () -> sink = Square[].class));
        cases.put("a record's toString", new Kept("2 KB", () -> sink = P.toString()));
        cases.put(
                "a record's equals",
                new Kept("1 KB", () -> isTrue(P.equals(Q) && P.hashCode() == Q.hashCode())));
        cases.put("a class that is initialised", new Kept("0 B", () -> count += Trivial.one()));
        cases.put("a switch over an enum", new Kept("0 B", FirstRunCases::switchOverEnum));
        cases.put("a switch over strings", new Kept("0 B", FirstRunCases::switchOverStrings));
        cases.put("a pattern", new Kept("0 B", FirstRunCases::match));
        cases.put("a default method", new Kept("0 B", () -> count += PLAIN.three()));
        cases.put("an assertion", new Kept("0 B", FirstRunCases::assertion));
        cases.put("an enum's valueOf", new Kept("0 B", () -> sink = Color.valueOf("GREEN")));
        cases.put("a variable handle", new Kept("0 B", () -> COUNT.setVolatile(7)));
    }

    private static void library(Map<String, Kept> cases) {
        cases.put(
                "format", new Kept("6 KB", () -> sink = String.format("%d %s %.2f", 5, "x", 1.5)));
        cases.put(
                "a stream",
                new Kept("1 KB", () -> sink = List.of(1, 2).stream().map(i -> i + 1).toList()));
        cases.put("a collector", new Kept("6 KB", () -> sink = grouped()));
        cases.put("an EnumMap", new Kept("200 B", () -> sink = new EnumMap<>(Color.class)));
        cases.put("a logger", new Kept("4 KB", () -> sink = System.getLogger("first.run")));
        cases.put(
                "a java.util.logging logger", new Kept("4 KB", () -> sink = Logger.getLogger("b")));
        cases.put("a date", new Kept("100 B", () -> sink = LocalDate.of(2020, 1, 1).plusDays(3)));
        cases.put("a formatted date", new Kept("8 KB", FirstRunCases::formatDate));
        cases.put(
                "a time zone",
                new Kept("2 KB", () -> sink = ZoneId.of("Europe/Berlin").getRules()));
        cases.put(
                "a number format",
                new Kept("16 KB", () -> sink = NumberFormat.getInstance(Locale.US).format(1.5)));
        cases.put(
                "a regular expression",
                new Kept("4 KB", () -> sink = Pattern.compile("(a|b)*c").matcher("ab").matches()));
        cases.put("replaceAll", new Kept("2 KB", () -> sink = text.replaceAll("a+", "b")));
        cases.put(
                "a bundle",
                new Kept("4 KB", () -> sink = ResourceBundle.getBundle(Bundle.class.getName())));
        cases.put(
                "a call by reflection",
                new Kept("400 B", () -> sink = Point.class.getDeclaredMethod("x").invoke(P)));
        cases.put(
                "a constructor by reflection",
                new Kept(
                        "400 B",
                        () -> sink = Trivial.class.getDeclaredConstructor().newInstance()));
        cases.put(
                "a future",
                new Kept(
                        "1 KB",
                        () ->
                                sink =
                                        CompletableFuture.completedFuture(1)
                                                .thenApply(x -> x + 1)
                                                .join()));
        cases.put(
                "a thread-local",
                new Kept("200 B", () -> sink = ThreadLocal.withInitial(ArrayList::new).get()));
        cases.put("a sort", new Kept("200 B", FirstRunCases::sort));
        cases.put("a lock", new Kept("100 B", () -> sink = new ReentrantLock()));
        cases.put("a counter", new Kept("16 B", () -> sink = new AtomicInteger()));
        cases.put("a UUID", new Kept("1 KB", () -> sink = UUID.randomUUID()));
        cases.put(
                "base 64",
                new Kept("400 B", () -> sink = Base64.getEncoder().encodeToString(new byte[10])));
        cases.put(
                "a decimal",
                new Kept("600 B", () -> sink = new BigDecimal("1.5").multiply(BigDecimal.TEN)));
        cases.put("a character set", new Kept("3 KB", () -> sink = text.getBytes("ISO-8859-15")));
    }

    /** Each allocates something itself, on each run or on its first. */
    static Map<String, Code> beyond() {
        Map<String, Code> cases = new LinkedHashMap<>();
        plain(cases);
        throwing(cases);
        called(cases);
        return cases;
    }

    private static void plain(Map<String, Code> cases) {
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

    private static void throwing(Map<String, Code> cases) {
        cases.put("no such class", () -> missing("no.such.Class"));
        cases.put("no such class in a loader", () -> load("no.such.Class"));
        cases.put("a null", FirstRunCases::dereference);
        cases.put("an index", FirstRunCases::exceed);
        cases.put("a cast", FirstRunCases::cast);
        cases.put("a division", FirstRunCases::divide);
        cases.put("a negative size", FirstRunCases::negative);
    }

    private static void called(Map<String, Code> cases) {
        cases.put("a static initialiser", () -> count += Initialised.size());
        cases.put("an enum's initialiser", () -> count += Initialising.count());
        cases.put(
                "an initialiser by name",
                () -> Class.forName(FirstRunCases.class.getName() + "$ByName"));
        cases.put("a loader of its own", () -> new Loader().loadClass("anything"));
        cases.put("a new loader of the JDK", FirstRunCases::newLoader);
        cases.put("a bundle's control", () -> ResourceBundle.getBundle("made", new Control()));
        cases.put(
                "a bundle's contents",
                () -> sink = ResourceBundle.getBundle(Big.class.getName()).getKeys());
        cases.put("toString", () -> isTrue(("" + new Talkative()).isEmpty()));
        cases.put("an initial value", () -> sink = ThreadLocal.withInitial(() -> new int[9]).get());
        cases.put(
                "a memo", () -> new TreeMap<Integer, Object>().computeIfAbsent(1, k -> new int[9]));
        cases.put("a proxy", FirstRunCases::proxy);
        cases.put(
                "a lookup", () -> sink = MethodType.methodType(Big.class, Loader.class, int.class));
    }

    private static void call(IntSupplier supplier) {
        count += supplier.getAsInt();
    }

    private static void callWith(String value) {
        call(() -> value.length());
    }

    private static Supplier<String> capture(String value) {
        return () -> value;
    }

    private static int apply(Function<String, Integer> function) {
        return function.apply(text);
    }

    private static void isTrue(boolean value) {
        count += value ? 1 : 0;
    }

    private static void switchOverEnum() {
        switch (color) {
            case RED -> count++;
            default -> count += 2;
        }
    }

    private static void switchOverStrings() {
        switch (text) {
            case "abc" -> count++;
            default -> count += 2;
        }
    }

    private static void match() {
        if (SHAPE instanceof Circle circle) {
            count += circle.radius();
        }
    }

    private static void assertion() {
        assert count >= 0 : "negative";
    }

    private static Object grouped() {
        return IntStream.range(0, 10)
                .boxed()
                .collect(Collectors.groupingBy(i -> i % 3, TreeMap::new, Collectors.counting()));
    }

    private static void formatDate() {
        sink = LocalDate.of(2020, 1, 1).format(DateTimeFormatter.ofPattern("dd MMM yyyy"));
    }

    private static void sort() {
        Integer[] numbers = {3, 1, 2};
        Arrays.sort(numbers, Comparator.comparing((Integer x) -> -x));
        sink = numbers;
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
            FirstRunCases.class.getClassLoader().loadClass(name);
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
        URL[] here = {FirstRunCases.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(here, null)) {
            sink = loader.loadClass(Trivial.class.getName());
        }
    }

    private static void proxy() {
        Class<?>[] types = {Supplier.class};
        sink =
                Proxy.newProxyInstance(
                        FirstRunCases.class.getClassLoader(), types, (p, m, a) -> null);
    }

    private static final class Talkative {
        @Override
        public String toString() {
            sink = new byte[1_000];
            return "x";
        }
    }

    /** Makes what it is asked for. */
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

    /** An empty one. */
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
