// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
                        ? """
                        %s is on %s if it is a test, or move the annotation to a test.\
                        """
                                .formatted(place, flaw(method))
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

    /** Finds limits that a test loses: Java does not inherit the annotations of a method. */
    static final class Overrides {

        /** Of each kind, one at the test itself takes the place of all at the overridden method. */
        private static final List<List<Class<? extends Annotation>>> KINDS =
                List.of(
                        List.of(
                                NoAllocation.class,
                                MaxAllocation.class,
                                MaxAllocation.Several.class),
                        List.of(MaxRetained.class, MaxRetained.Several.class),
                        List.of(NoLeaks.class),
                        List.of(AllocationBaseline.class));

        private Overrides() {}

        /** Returns what is wrong with a test method; empty if it loses nothing. */
        static String problem(Method test) {
            for (Class<?> type : supertypes(test.getDeclaringClass())) {
                for (Method method : type.getDeclaredMethods()) {
                    String lost = isOverridden(method, test) ? lost(method, test) : "";
                    if (!lost.isEmpty()) {
                        return """
                        %s() overrides %s(), whose @%s does not count for it, since Java does \
                        not inherit annotations of methods. Write it, or another limit, at %s().\
                        """
                                .formatted(
                                        Placement.place(test),
                                        Placement.place(method),
                                        lost,
                                        Placement.place(test));
                    }
                }
            }
            return "";
        }

        private static Set<Class<?>> supertypes(Class<?> type) {
            Set<Class<?>> types = new LinkedHashSet<>();
            Class<?> superclass = type.getSuperclass();
            if (superclass != null && superclass != Object.class) {
                types.add(superclass);
                types.addAll(supertypes(superclass));
            }
            for (Class<?> each : type.getInterfaces()) {
                types.add(each);
                types.addAll(supertypes(each));
            }
            return types;
        }

        private static boolean isOverridden(Method method, Method test) {
            int modifiers = method.getModifiers();
            boolean isVisible =
                    Modifier.isPublic(modifiers)
                            || Modifier.isProtected(modifiers)
                            || method.getDeclaringClass()
                                    .getPackageName()
                                    .equals(test.getDeclaringClass().getPackageName());
            return method.getName().equals(test.getName())
                    && !Modifier.isPrivate(modifiers)
                    && !Modifier.isStatic(modifiers)
                    && isVisible
                    && hasParametersOf(method, test);
        }

        /** Its own, or those of a bridge, with which a compiler overrides a generic method. */
        private static boolean hasParametersOf(Method method, Method test) {
            return Arrays.stream(test.getDeclaringClass().getDeclaredMethods())
                    .filter(each -> each.equals(test) || each.isBridge())
                    .filter(each -> each.getName().equals(method.getName()))
                    .anyMatch(
                            each ->
                                    Arrays.equals(
                                            each.getParameterTypes(), method.getParameterTypes()));
        }

        /** Returns the name of an annotation; empty if all kinds are at the test as well. */
        private static String lost(Method method, Method test) {
            for (List<Class<? extends Annotation>> kind : KINDS) {
                if (!isAnnotated(test, kind)) {
                    for (Class<? extends Annotation> annotation : kind) {
                        if (AnnotationSupport.isAnnotated(method, annotation)) {
                            return name(annotation);
                        }
                    }
                }
            }
            return "";
        }

        /** A container is named as what it contains. */
        private static String name(Class<? extends Annotation> annotation) {
            Class<?> outer = annotation.getEnclosingClass();
            return (outer == null ? annotation : outer).getSimpleName();
        }

        private static boolean isAnnotated(Method method, List<Class<? extends Annotation>> kind) {
            return kind.stream().anyMatch(each -> AnnotationSupport.isAnnotated(method, each));
        }
    }
}
