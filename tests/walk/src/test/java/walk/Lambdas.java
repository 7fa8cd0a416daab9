// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Code that the JVM makes itself: lambdas, method handles, string concatenation, hidden classes.
 */
public final class Lambdas implements Scenario {

    private static final byte[] LOOPS = Loader.bytesOf(Loops.class);
    private static final int CALLS = 40;
    private static final int TURNS = 60;

    private final SplittableRandom random = new SplittableRandom(8);
    private final Method method;
    private final MethodHandle handle;

    Lambdas() throws ReflectiveOperationException {
        Lookup lookup = MethodHandles.lookup();
        method = Lambdas.class.getDeclaredMethod("text", int.class);
        MethodHandle text =
                lookup.findStatic(
                        Lambdas.class, "text", MethodType.methodType(Object.class, int.class));
        MethodHandle odd =
                lookup.findStatic(
                        Lambdas.class, "isOdd", MethodType.methodType(boolean.class, int.class));
        MethodHandle other =
                MethodHandles.filterReturnValue(
                        text,
                        lookup.findVirtual(
                                        Object.class,
                                        "toString",
                                        MethodType.methodType(String.class))
                                .asType(MethodType.methodType(Object.class, Object.class)));
        handle = MethodHandles.guardWithTest(odd, text, other);
    }

    private static boolean isOdd(int number) {
        return (number & 1) != 0;
    }

    private static Object text(int number) {
        return "number " + number + (isOdd(number) ? " is odd" : new Object[] {number});
    }

    @Override
    public void round() throws Exception {
        hidden();
        for (int i = 0; i < CALLS; i++) {
            int number = random.nextInt(100);
            Sink.last = streamed(number);
            Sink.last = method.invoke(null, number);
            try {
                Sink.last = (Object) handle.invokeExact(number);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static List<String> streamed(int number) {
        return IntStream.range(0, 8)
                .mapToObj(i -> text(i + number))
                .map(String::valueOf)
                .filter(s -> s.length() > 1)
                .collect(Collectors.groupingBy(String::length))
                .values()
                .stream()
                .flatMap(List::stream)
                .sorted((a, b) -> (a + b).compareTo(b + a))
                .toList();
    }

    /** A class without a name, gone with the next collection. */
    @SuppressWarnings("unchecked")
    private static void hidden() throws ReflectiveOperationException {
        Class<?> type = MethodHandles.lookup().defineHiddenClass(LOOPS, true).lookupClass();
        ((LongFunction<Object>) type.getDeclaredConstructor().newInstance()).apply(TURNS);
    }
}
