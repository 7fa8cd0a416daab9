// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.TypeCache;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Healthy: classes are made with Byte Buddy, one for each of some hundred kinds of orders; a type
 * cache keeps them, and after the first seconds hardly any is new.
 */
public final class ByteBuddyTypeCache {

    private static final int ORDERS_A_SECOND = 2_000;

    private static final int KINDS = 500;

    private static long length;

    private final TypeCache<Integer> types = new TypeCache<>(TypeCache.Sort.STRONG);

    private final AtomicInteger made = new AtomicInteger();

    private Class<?> type(int kind) {
        return types.findOrInsert(
                ByteBuddyTypeCache.class.getClassLoader(), kind, () -> make(kind));
    }

    private Class<?> make(int kind) {
        made.incrementAndGet();
        return new ByteBuddy()
                .subclass(Object.class)
                .method(ElementMatchers.isToString())
                .intercept(FixedValue.value("order of kind " + kind))
                .make()
                .load(
                        ByteBuddyTypeCache.class.getClassLoader(),
                        ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded();
    }

    private int order(int kind) throws ReflectiveOperationException {
        Object order = type(kind).getDeclaredConstructor().newInstance();
        StringBuilder text = new StringBuilder(order.toString());
        for (Method method : order.getClass().getMethods()) {
            text.append(' ').append(method.getName());
        }
        return text.length();
    }

    public static void main(String... args) throws ReflectiveOperationException {
        ByteBuddyTypeCache shop = new ByteBuddyTypeCache();
        Load.at(
                ORDERS_A_SECOND,
                args,
                number ->
                        length +=
                                shop.order(
                                        Math.floorMod(
                                                number * 31, Math.min(KINDS, 10 + number / 20))));
        System.out.println("length " + length + ", classes " + shop.made);
    }
}
