// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static java.lang.management.ManagementFactory.getPlatformMBeanServer;
import static java.nio.file.spi.FileSystemProvider.installedProviders;
import static java.util.TimeZone.getTimeZone;

import io.heapsampler.assertions.ThrowingRunnable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.Thread.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
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
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.crypto.Cipher;

/** First runs of code that allocates little, but makes the JVM work. */
final class FirstRunCases {

    /** Code that allocates no more than a limit if it is run again. */
    record Kept(String limit, ThrowingRunnable code) {}

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

    @Deprecated
    private static final class Old extends ThreadLocal<String> {}

    private static final class Trivial {
        static int one() {
            return 1;
        }
    }

    private static final String PROPERTIES = "io.heapsampler.tests.junit.words";
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
                new Kept("0 B", () -> isTrue(P.equals(Q) && P.hashCode() == Q.hashCode())));
        cases.put("a class that is initialised", new Kept("0 B", () -> count += Trivial.one()));
        cases.put("a switch over an enum", new Kept("0 B", FirstRunCases::switchOverEnum));
        cases.put("a switch over strings", new Kept("0 B", FirstRunCases::switchOverStrings));
        cases.put("a pattern", new Kept("0 B", FirstRunCases::match));
        cases.put("a default method", new Kept("0 B", () -> count += PLAIN.three()));
        cases.put("an assertion", new Kept("0 B", FirstRunCases::assertion));
        cases.put("an enum's valueOf", new Kept("0 B", () -> sink = Color.valueOf("GREEN")));
        cases.put("an enum's constant by name", new Kept("0 B", () -> sink = State.valueOf("NEW")));
        cases.put(
                "a literal beside a box",
                new Kept("0 B", () -> isTrue(MAP.get("b key") == (Object) Integer.valueOf(5))));
        cases.put(
                "a literal beside the name of an intrinsic",
                new Kept("0 B", () -> isTrue(Objects.equals(toBytes(), MAP.get("c key")))));
        cases.put("a simple name", new Kept("0 B", () -> sink = Plain.class.getSimpleName()));
        cases.put(
                "an annotation",
                new Kept("0 B", () -> sink = Old.class.getAnnotation(Deprecated.class)));
        cases.put("interfaces", new Kept("24 B", () -> sink = Plain.class.getInterfaces()));
        cases.put(
                "a generic superclass",
                new Kept("0 B", () -> sink = Old.class.getGenericSuperclass()));
        cases.put("a proxy", new Kept("400 B", FirstRunCases::proxy));
        Runnable inLoader = Guests.inLoader(Guests.Calling.class);
        cases.put("a class of another loader", new Kept("0 B", inLoader::run));
        Runnable inUrlLoader = Guests.inUrlLoader(Guests.Calling.class);
        cases.put("a class of a loader of the JDK", new Kept("0 B", inUrlLoader::run));
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
                "properties",
                new Kept("1 KB", () -> sink = ResourceBundle.getBundle(PROPERTIES).getString("a")));
        cases.put("a time zone of old", new Kept("1 KB", () -> sink = getTimeZone("Asia/Tokyo")));
        cases.put("serialization", new Kept("8 KB", FirstRunCases::serialize));
        cases.put("file systems", new Kept("2 KB", () -> sink = installedProviders()));
        cases.put("a cipher", new Kept("8 KB", () -> sink = Cipher.getInstance("AES")));
        cases.put("platform beans", new Kept("8 KB", () -> sink = getPlatformMBeanServer()));
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
                new Kept("600 B", () -> sink = ThreadLocal.withInitial(ArrayList::new).get()));
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

    private static void call(IntSupplier supplier) {
        count += supplier.getAsInt();
    }

    private static void callWith(String value) {
        call(() -> value.length());
    }

    private static int apply(Function<String, Integer> function) {
        return function.apply(text);
    }

    private static void serialize() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Stored(1, "a"));
        }
        sink = bytes;
    }

    @SuppressWarnings("serial") // the JDK shall compute its version
    private static final class Stored implements Serializable {
        private final int number;
        private final String word;

        Stored(int number, String word) {
            this.number = number;
            this.word = word;
        }
    }

    private static Object toBytes() {
        return nothing;
    }

    private static void proxy() {
        Class<?>[] types = {Runnable.class};
        sink =
                Proxy.newProxyInstance(
                        FirstRunCases.class.getClassLoader(), types, (p, m, a) -> null);
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

    /** An empty one. */
    public static final class Bundle extends ListResourceBundle {
        private static final Object[][] CONTENTS = {};

        @Override
        protected Object[][] getContents() {
            return CONTENTS;
        }
    }
}
