// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Finds annotations as JUnit does, at a fraction of the cost: JUnit searches the annotations of
 * annotations, which takes some hundred microseconds until it is compiled, and a test needs some
 * dozen searches. Here the types that a search can find are known for each class and each
 * annotation, so JUnit searches only for those, and only once for each class. Thread-safe.
 */
final class AnnotationLookup {

    /** The types that a search in a class can find, and the results of searches for some. */
    private record OfClass(Set<Class<?>> types, Map<Class<?>, List<? extends Annotation>> found) {}

    /** The type of an annotation, those of the annotations on it, and those that it contains. */
    private static final ClassValue<Set<Class<?>>> BEHIND =
            new ClassValue<>() {
                @Override
                protected Set<Class<?>> computeValue(Class<?> type) {
                    Set<Class<?>> types = new HashSet<>();
                    addWithAnnotations(type, types);
                    return Set.copyOf(types);
                }
            };

    /** With the types of its superclasses and interfaces. */
    private static final ClassValue<OfClass> OF_CLASS =
            new ClassValue<>() {
                @Override
                protected OfClass computeValue(Class<?> type) {
                    Set<Class<?>> types = new HashSet<>();
                    for (Annotation annotation : type.getDeclaredAnnotations()) {
                        types.addAll(BEHIND.get(annotation.annotationType()));
                    }
                    for (Class<?> implemented : type.getInterfaces()) {
                        types.addAll(get(implemented).types);
                    }
                    if (type.getSuperclass() != null) {
                        types.addAll(get(type.getSuperclass()).types);
                    }
                    return new OfClass(Set.copyOf(types), new ConcurrentHashMap<>());
                }
            };

    private AnnotationLookup() {}

    private static void addWithAnnotations(Class<?> type, Set<Class<?>> types) {
        if (types.add(type)) {
            addContained(type, types);
            for (Annotation annotation : type.getDeclaredAnnotations()) {
                addWithAnnotations(annotation.annotationType(), types);
            }
        }
    }

    /** A container of repeated annotations has them as its value. */
    private static void addContained(Class<?> type, Set<Class<?>> types) {
        try {
            for (Method method : type.getDeclaredMethods()) {
                Class<?> contained = method.getReturnType().getComponentType();
                if (contained != null && contained.isAnnotation()) {
                    addWithAnnotations(contained, types);
                }
            }
        } catch (LinkageError e) {
            return; // an annotation of a library that is missing, which contains none of ours
        }
    }

    /** Can a search find an annotation? */
    static boolean mayHave(AnnotatedElement element, Class<? extends Annotation> type) {
        if (element instanceof Class<?> owner) {
            return OF_CLASS.get(owner).types.contains(type);
        }
        for (Annotation annotation : element.getAnnotations()) {
            if (BEHIND.get(annotation.annotationType()).contains(type)) {
                return true;
            }
        }
        return false;
    }

    /** As {@link AnnotationSupport#isAnnotated(AnnotatedElement, Class)}. */
    static boolean isAnnotated(AnnotatedElement element, Class<? extends Annotation> type) {
        return mayHave(element, type) && AnnotationSupport.isAnnotated(element, type);
    }

    /** As {@link AnnotationSupport#findAnnotation(AnnotatedElement, Class)}. */
    static <A extends Annotation> Optional<A> find(AnnotatedElement element, Class<A> type) {
        return mayHave(element, type)
                ? AnnotationSupport.findAnnotation(element, type)
                : Optional.empty();
    }

    /** As {@link AnnotationSupport#findRepeatableAnnotations(AnnotatedElement, Class)}. */
    @SuppressWarnings("unchecked") // each list is kept under the type of its elements
    static <A extends Annotation> List<A> findRepeated(AnnotatedElement element, Class<A> type) {
        if (!mayHave(element, type)) {
            return List.of();
        }
        return element instanceof Class<?> owner
                ? (List<A>)
                        OF_CLASS.get(owner).found.computeIfAbsent(type, key -> search(owner, type))
                : search(element, type);
    }

    private static <A extends Annotation> List<A> search(AnnotatedElement element, Class<A> type) {
        return AnnotationSupport.findRepeatableAnnotations(element, type);
    }
}
