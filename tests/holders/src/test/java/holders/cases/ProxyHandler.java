// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/** The handler of a proxy. */
public final class ProxyHandler extends Case {
    private static final class Target {}

    private static Runnable held;

    private static final class Handler implements InvocationHandler {
        final Target target = new Target();

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return null;
        }
    }

    @Override
    public Object hold() throws Exception {
        Handler handler = new Handler();
        held =
                (Runnable)
                        Proxy.newProxyInstance(
                                ProxyHandler.class.getClassLoader(),
                                new Class<?>[] {Runnable.class},
                                handler);
        return handler.target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ProxyHandler.held: $Proxy > Proxy.h: ProxyHandler$Handler >"
                        + " ProxyHandler$Handler.target: ProxyHandler$Target");
    }
}
