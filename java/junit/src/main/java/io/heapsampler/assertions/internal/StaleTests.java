// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Tests that have a baseline and do not exist any more. */
final class StaleTests {

    private StaleTests() {}

    /**
     * Returns those whose class or method cannot be found by the thread's class loader. Invocations
     * of one method are not told apart: only those of this run are known.
     *
     * @param keys such as {@code com.acme.CartTest.add(int) [1] 7}
     */
    static List<String> of(Collection<String> keys) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return keys.stream().filter(key -> isStale(key, loader)).toList();
    }

    private static boolean isStale(String key, ClassLoader loader) {
        int parameters = key.indexOf('(');
        int dot = parameters < 0 ? -1 : key.lastIndexOf('.', parameters);
        if (dot < 0) {
            return false; // no key of ours
        }
        try {
            Class<?> type = Class.forName(key.substring(0, dot), false, loader);
            String signature = key.substring(dot + 1);
            return methods(type).stream()
                    .noneMatch(method -> signature.startsWith(signature(method)));
        } catch (ClassNotFoundException e) {
            return true;
        } catch (LinkageError e) {
            return false;
        }
    }

    private static List<Method> methods(Class<?> type) {
        List<Method> methods = new ArrayList<>(Arrays.asList(type.getMethods()));
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            methods.addAll(Arrays.asList(c.getDeclaredMethods()));
        }
        return methods;
    }

    private static String signature(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }
}
