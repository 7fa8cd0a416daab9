// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.InvocationHandlerAdapter;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Sick: every order gets a proxy class of its own from Byte Buddy, in a class loader of its own,
 * and an audit list keeps the proxies.
 */
public final class ByteBuddyProxies {

    private static final int ORDERS = 7_000;

    /** What a proxy is made of. */
    public interface Order {
        String describe(int number);
    }

    private final List<Order> audited = new ArrayList<>();

    private Order proxy(int number) throws ReflectiveOperationException {
        return new ByteBuddy()
                .subclass(Order.class)
                .method(ElementMatchers.isDeclaredBy(Order.class))
                .intercept(
                        InvocationHandlerAdapter.of(
                                (self, method, values) -> "order " + number + " of " + values[0]))
                .make()
                .load(Order.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded()
                .getDeclaredConstructor()
                .newInstance();
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        double seconds = Double.parseDouble(args[0]);
        ByteBuddyProxies shop = new ByteBuddyProxies();
        long start = System.nanoTime();
        long step = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / ORDERS);
        long length = 0;
        for (int i = 0; i < ORDERS; i++) {
            Order order = shop.proxy(i);
            length += order.describe(i).length();
            shop.audited.add(order);
            LockSupport.parkNanos(start + i * step - System.nanoTime());
        }
        System.out.println("length " + length + ", kept " + shop.audited.size());
    }
}
