// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.TypeCache;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Healthy: classes are made with Byte Buddy, one for each of some hundred kinds of orders; a type
 * cache keeps them, and after the first seconds hardly any is new.
 */
public final class ByteBuddyTypeCache {

    private static final int ORDERS_A_SECOND = 2_000;

    private static final int KINDS = 500;

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
                .load(ByteBuddyTypeCache.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
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

    public static void main(String[] args) throws ReflectiveOperationException {
        double seconds = Double.parseDouble(args[0]);
        ByteBuddyTypeCache shop = new ByteBuddyTypeCache();
        long start = System.nanoTime();
        long step = TimeUnit.SECONDS.toNanos(1) / ORDERS_A_SECOND;
        long length = 0;
        for (int i = 0; i < seconds * ORDERS_A_SECOND; i++) {
            length += shop.order(Math.floorMod(i * 31, Math.min(KINDS, 10 + i / 20)));
            LockSupport.parkNanos(start + i * step - System.nanoTime());
        }
        System.out.println("length " + length + ", classes " + shop.made);
    }
}
