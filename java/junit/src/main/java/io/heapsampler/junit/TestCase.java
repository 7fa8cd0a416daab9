// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Repeats;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The test at hand.
 *
 * @param classes its class and those around it, as they are run: a nested class may be inherited
 * @param method its method
 * @param display what tells it from other invocations of the method; empty if it has but one
 */
record TestCase(List<Class<?>> classes, Method method, String display) {

    /**
     * Returns the test of a context, which may be a dynamic test or an invocation of a template.
     */
    static TestCase of(ExtensionContext context) {
        boolean isOneOfMany =
                context.getTestMethod()
                        .map(
                                method ->
                                        AnnotationLookup.isAnnotated(method, TestTemplate.class)
                                                && !isFactory(method)
                                                && !AllocationTestExtension.isOn(method))
                        .orElse(true);
        return of(context, isOneOfMany);
    }

    /** Does a method make dynamic tests? */
    static boolean isFactory(Method method) {
        return AnnotationLookup.isAnnotated(method, TestFactory.class);
    }

    static TestCase of(ExtensionContext context, boolean isOneOfMany) {
        Deque<String> names = new ArrayDeque<>();
        if (isOneOfMany) {
            names.addFirst(context.getDisplayName());
        }
        ExtensionContext method = context; // that of a dynamic test lies below that of its factory
        while (method.getTestMethod().isEmpty() && method.getParent().isPresent()) {
            method = method.getParent().orElseThrow();
            if (method.getTestMethod().isEmpty()) {
                names.addFirst(method.getDisplayName());
            }
        }
        for (ExtensionContext around = method;
                around.getParent().isPresent();
                around = around.getParent().orElseThrow()) {
            if (isInvocationOfClass(around)) {
                names.addFirst(around.getDisplayName());
            }
        }
        return new TestCase(
                classes(method), method.getRequiredTestMethod(), String.join(" / ", names));
    }

    /** One invocation of a parameterized class, from 5.13 on, lies below that class. */
    private static boolean isInvocationOfClass(ExtensionContext context) {
        return context.getTestMethod().isEmpty()
                && context.getTestClass().isPresent()
                && context.getParent()
                        .flatMap(ExtensionContext::getTestClass)
                        .equals(context.getTestClass());
    }

    private static List<Class<?>> classes(ExtensionContext method) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        Optional<ExtensionContext> context = Optional.of(method);
        while (context.isPresent()) {
            context.get().getTestClass().ifPresent(classes::add);
            context = context.get().getParent();
        }
        return List.copyOf(classes);
    }

    /** Is each run an invocation of its own? */
    boolean isTemplate() {
        return AllocationTestExtension.isOn(method);
    }

    /** How often it is run for limits that do not say so; empty where each has its own default. */
    Optional<Repeats> repeats() {
        return AnnotationLookup.find(method, AllocationTest.class).map(Limits.Runs::of);
    }

    Class<?> type() {
        return classes.get(0);
    }

    /** Elements that may carry annotations, the nearest first. */
    List<AnnotatedElement> elements() {
        List<AnnotatedElement> elements = new ArrayList<>();
        elements.add(method);
        elements.addAll(classes);
        return elements;
    }

    /** What messages call it. */
    String name() {
        return type().getSimpleName() + "." + signature();
    }

    /** What files call it. */
    String key() {
        return type().getName() + "." + signature().replaceAll("\\R", " ");
    }

    private String signature() {
        String parameters =
                Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "));
        return method.getName() + "(" + parameters + ")" + (display.isEmpty() ? "" : " " + display);
    }
}
