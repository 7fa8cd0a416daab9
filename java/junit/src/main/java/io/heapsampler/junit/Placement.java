// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Finds annotations that would not count: on methods that are no tests, or are overridden. */
final class Placement {

    /** Empty for a class in which all is well. */
    private static final ClassValue<String> PROBLEM =
            new ClassValue<>() {
                @Override
                protected String computeValue(Class<?> type) {
                    return find(type);
                }
            };

    private Placement() {}

    /**
     * Refuses a class with a misplaced annotation.
     *
     * @throws ExtensionConfigurationException with its place
     */
    static void requireTests(Class<?> type) {
        String problem = problem(type);
        if (!problem.isEmpty()) {
            throw new ExtensionConfigurationException(problem);
        }
    }

    /** Returns what is wrong in a class, or its superclasses; empty if nothing is. */
    static String problem(Class<?> type) {
        return PROBLEM.get(type);
    }

    /** Does a class, or a method in it or its superclasses, have an annotation of this package? */
    static boolean isAnnotated(Class<?> type) {
        return isAnnotatedItself(type)
                || annotatedMethods(type).stream().anyMatch(Placement::isAnnotatedItself);
    }

    private static boolean isAnnotatedItself(AnnotatedElement element) {
        return AnnotationSupport.isAnnotated(element, AllocationTest.class)
                || Annotations.ALL.stream()
                        .anyMatch(type -> AnnotationSupport.isAnnotated(element, type));
    }

    private static List<Method> annotatedMethods(Class<?> type) {
        return ReflectionSupport.findMethods(
                type,
                method -> method.getAnnotations().length > 0,
                HierarchyTraversalMode.TOP_DOWN);
    }

    private static String find(Class<?> type) {
        for (Method method : annotatedMethods(type)) {
            String problem = isTest(method) ? "" : problem(method);
            if (!problem.isEmpty()) {
                return problem;
            }
        }
        return tests(type).stream()
                .map(Overrides::problem)
                .filter(problem -> !problem.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static List<Method> tests(Class<?> type) {
        return ReflectionSupport.findMethods(
                type, Placement::isTest, HierarchyTraversalMode.TOP_DOWN);
    }

    private static boolean isTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class) && flaw(method).isEmpty();
    }

    /** Why JUnit does not run a method, and what to do; empty if it may. */
    private static String flaw(Method method) {
        boolean returns =
                method.getReturnType() != void.class
                        && (AnnotationSupport.isAnnotated(method, Test.class)
                                || AnnotationSupport.isAnnotated(method, TestTemplate.class));
        return Modifier.isPrivate(method.getModifiers())
                ? "a private method, which JUnit does not run, so nothing would be measured. Remove"
                        + " \"private\""
                : Modifier.isStatic(method.getModifiers())
                        ? "a static method, which JUnit does not run, so nothing would be"
                                + " measured. Remove \"static\""
                        : returns
                                ? "a method that returns something, which JUnit does not run, so"
                                        + " nothing would be measured. Let it return nothing"
                                : "";
    }

    private static String problem(Method method) {
        for (Class<? extends Annotation> annotation : Annotations.ALL) {
            if (AnnotationSupport.isAnnotated(method, annotation)) {
                String place = "At " + place(method) + ": @" + annotation.getSimpleName();
                return AnnotationSupport.isAnnotated(method, Testable.class)
                        ? place
                                + " is on "
                                + flaw(method)
                                + " if it is a test, or move the annotation to a test."
                        : place
                                + " is on a method that is no test, so nothing would be measured."
                                + " Move it to a test method or to the class.";
            }
        }
        return "";
    }

    /** Returns what messages call a class or method. */
    static String place(AnnotatedElement element) {
        if (element instanceof Method method) {
            return method.getDeclaringClass().getName() + "." + method.getName();
        }
        return element.toString();
    }
}
