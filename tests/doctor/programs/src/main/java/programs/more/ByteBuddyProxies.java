// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.InvocationHandlerAdapter;
import net.bytebuddy.matcher.ElementMatchers;

import java.util.ArrayList;
import java.util.List;

/**
 * Faulty: every order gets a proxy class of its own from Byte Buddy, in a class loader of its own,
 * and an audit list keeps the proxies.
 */
public final class ByteBuddyProxies {

    private static final int ORDERS = 5_000;

    /** Static, or a marking after the last turn would unload all classes. */
    private static final ByteBuddyProxies SHOP = new ByteBuddyProxies();

    private static long length;

    /** A proxy reads its lines from elsewhere. */
    public interface Order extends List<String> {
        String describe(int number);
    }

    private final List<Order> audited = new ArrayList<>();

    private Order proxy(int number) throws ReflectiveOperationException {
        return new ByteBuddy()
                .subclass(Order.class)
                .method(ElementMatchers.isAbstract())
                .intercept(
                        InvocationHandlerAdapter.of(
                                (self, method, values) -> "order " + number + " of " + values[0]))
                .make()
                .load(Order.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded()
                .getDeclaredConstructor()
                .newInstance();
    }

    public static void main(String... args) {
        Load.spread(
                ORDERS,
                args,
                number -> {
                    Order order = SHOP.proxy(number);
                    length += order.describe(number).length();
                    SHOP.audited.add(order);
                });
        System.out.println("length " + length + ", kept " + SHOP.audited.size());
    }
}
