// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.platform.commons.support.AnnotationSupport;

/** Finds limits that a test loses: Java does not inherit the annotations of a method. */
final class Overrides {

    /** Of each kind, one at the test itself takes the place of all at the overridden method. */
    private static final List<List<Class<? extends Annotation>>> KINDS =
            List.of(
                    List.of(NoAllocation.class, MaxAllocation.class, MaxAllocation.Several.class),
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
                    return Placement.place(test)
                            + "() overrides "
                            + Placement.place(method)
                            + "(), whose @"
                            + lost
                            + " does not count for it, since Java does not inherit annotations of"
                            + " methods. Write it, or another limit, at "
                            + Placement.place(test)
                            + "().";
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
