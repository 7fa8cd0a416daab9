// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The test at hand.
 *
 * @param type its class
 * @param method its method
 * @param display what tells it from other invocations of the method; empty if it has but one
 */
record TestCase(Class<?> type, Method method, String display) {

    static TestCase of(ExtensionContext context, boolean isOneOfMany) {
        ExtensionContext method = context; // that of a dynamic test lies below that of its factory
        while (method.getTestMethod().isEmpty() && method.getParent().isPresent()) {
            method = method.getParent().orElseThrow();
        }
        return new TestCase(
                method.getRequiredTestClass(),
                method.getRequiredTestMethod(),
                isOneOfMany ? context.getDisplayName() : "");
    }

    /** Elements that may carry annotations, the nearest first. */
    List<AnnotatedElement> elements() {
        List<AnnotatedElement> elements = new ArrayList<>();
        elements.add(method);
        for (Class<?> c = type; c != null; c = c.getEnclosingClass()) {
            elements.add(c);
        }
        return elements;
    }

    /** What messages call it. */
    String name() {
        return type.getSimpleName() + "." + signature();
    }

    /** What files call it. */
    String key() {
        return type.getName() + "." + signature().replace("\n", " ");
    }

    private String signature() {
        String parameters =
                Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "));
        return method.getName() + "(" + parameters + ")" + (display.isEmpty() ? "" : " " + display);
    }
}
