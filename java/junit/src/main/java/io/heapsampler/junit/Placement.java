// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.junit.platform.commons.support.AnnotationSupport.isAnnotated;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds annotations that would not count: on methods that are no tests, or are overridden, or in a
 * version of JUnit that cannot read them.
 */
final class Placement {

    /** Is JUnit 5.12 or later? This type came with it. */
    static final boolean IS_JUNIT_SUPPORTED =
            exists("org.junit.jupiter.api.parallel.ResourceLocksProvider");

    /** Empty for a class in which all is well. */
    private static final ClassValue<String> PROBLEM =
            new ClassValue<>() {
                @Override
                protected String computeValue(Class<?> type) {
                    return find(type);
                }
            };

    /** Of each kind, one at the test itself takes the place of all at the overridden method. */
    private static final List<List<Class<? extends Annotation>>> KINDS =
            List.of(
                    List.of(NoAllocation.class, MaxAllocation.class, MaxAllocation.Several.class),
                    List.of(MaxRetained.class, MaxRetained.Several.class),
                    List.of(NoLeaks.class),
                    List.of(AllocationBaseline.class));

    private Placement() {}

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, Test.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /**
     * Refuses a JUnit that is too old.
     *
     * @throws ExtensionConfigurationException with its version
     */
    static void requireJUnit() {
        if (!IS_JUNIT_SUPPORTED) {
            throw new ExtensionConfigurationException(oldJUnit());
        }
    }

    private static String oldJUnit() {
        String version = Test.class.getPackage().getImplementationVersion();
        return """
        heapsampler-junit needs JUnit 5.12 or later, but this is JUnit %s. Raise its version in \
        your build: with Spring Boot before 3.5, set the property junit-jupiter.version to 5.12.2 \
        or later; else import a later org.junit:junit-bom.\
        """
                .formatted(version == null ? "5.11 or earlier" : version);
    }

    /** Returns the refusal of a test that cannot be judged as it is written. */
    static ExtensionConfigurationException refused(
            AnnotatedElement element, String why, @Nullable Exception cause) {
        return new ExtensionConfigurationException("At " + place(element) + ": " + why, cause);
    }

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

    /** Returns the fault in a class, or its superclasses; empty if there is none. */
    static String problem(Class<?> type) {
        return PROBLEM.get(type);
    }

    /** Does a class, or a method in it or its superclasses, have an annotation of this package? */
    private static boolean hasOurs(Class<?> type) {
        return isAnnotatedItself(type)
                || annotatedMethods(type).stream().anyMatch(Placement::isAnnotatedItself);
    }

    private static boolean isAnnotatedItself(AnnotatedElement element) {
        return isAnnotated(element, AllocationTest.class)
                || Annotations.ALL.stream().anyMatch(type -> isAnnotated(element, type));
    }

    private static List<Method> annotatedMethods(Class<?> type) {
        return ReflectionSupport.findMethods(
                type,
                method -> method.getAnnotations().length > 0,
                HierarchyTraversalMode.TOP_DOWN);
    }

    private static String find(Class<?> type) {
        if (!IS_JUNIT_SUPPORTED) {
            return hasOurs(type) ? oldJUnit() : "";
        }
        for (Method method : annotatedMethods(type)) {
            String problem = isTest(method) ? "" : problem(method);
            if (!problem.isEmpty()) {
                return problem;
            }
        }
        return tests(type).stream()
                .map(Placement::lostLimit)
                .filter(problem -> !problem.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static List<Method> tests(Class<?> type) {
        return ReflectionSupport.findMethods(
                type, Placement::isTest, HierarchyTraversalMode.TOP_DOWN);
    }

    private static boolean isTest(Method method) {
        return isAnnotated(method, Testable.class) && flaw(method).isEmpty();
    }

    /** Why JUnit does not run a method, and what to do; empty if it may. */
    private static String flaw(Method method) {
        String keyword =
                Modifier.isPrivate(method.getModifiers())
                        ? "private"
                        : Modifier.isStatic(method.getModifiers()) ? "static" : "";
        boolean returns =
                method.getReturnType() != void.class
                        && (isAnnotated(method, Test.class)
                                || isAnnotated(method, TestTemplate.class));
        String kind = keyword.isEmpty() ? "method that returns something" : keyword + " method";
        String remedy = keyword.isEmpty() ? "Let it return nothing" : "Remove \"" + keyword + "\"";
        return keyword.isEmpty() && !returns
                ? ""
                : "a %s, which JUnit does not run, so nothing would be measured. %s"
                        .formatted(kind, remedy);
    }

    private static String problem(Method method) {
        for (Class<? extends Annotation> annotation : Annotations.ALL) {
            if (isAnnotated(method, annotation)) {
                String end =
                        isAnnotated(method, Testable.class)
                                ? flaw(method)
                                        + " if it is a test, or move the annotation to a test."
                                : "a method that is no test, so nothing would be measured. Move it"
                                        + " to a test method or to the class.";
                return "At %s: @%s is on %s"
                        .formatted(place(method), annotation.getSimpleName(), end);
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

    /** Returns the limit that a test loses, since it overrides a method; empty if none. */
    private static String lostLimit(Method test) {
        for (Class<?> type : supertypes(test.getDeclaringClass())) {
            for (Method method : type.getDeclaredMethods()) {
                String lost = isOverridden(method, test) ? lost(method, test) : "";
                if (!lost.isEmpty()) {
                    return """
                    %s() overrides %s(), whose @%s does not count for it, since Java does not \
                    inherit annotations of methods. Write it, or another limit, at %s().\
                    """
                            .formatted(place(test), place(method), lost, place(test));
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
                .map(Method::getParameterTypes)
                .anyMatch(types -> Arrays.equals(types, method.getParameterTypes()));
    }

    /** Returns the name of an annotation; empty if all kinds are at the test as well. */
    private static String lost(Method method, Method test) {
        return KINDS.stream()
                .filter(kind -> kind.stream().noneMatch(each -> isAnnotated(test, each)))
                .flatMap(List::stream)
                .filter(each -> isAnnotated(method, each))
                .map(each -> each.getEnclosingClass() == null ? each : each.getEnclosingClass())
                .map(Class::getSimpleName) // a container is named as its contents
                .findFirst()
                .orElse("");
    }
}
