// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.Rule;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds the extensions of a test. JUnit does not list them, so they are read where it reads them.
 */
final class Extensions {

    private static final String AUTODETECTION = "junit.jupiter.extensions.autodetection.enabled";
    private static final String JUNIT = "org.junit.jupiter.";
    private static final String OURS = Extensions.class.getPackageName();

    private static final Set<String> INTERCEPTIONS =
            Set.of("interceptTestMethod", "interceptTestTemplateMethod", "interceptDynamicTest");

    private static final Namespace NAMESPACE = Namespace.create(Extensions.class);

    private final TestCase test;
    private final ExtensionContext context;
    private final List<Class<?>> foreign;

    private Extensions(TestCase test, ExtensionContext context) {
        this.test = test;
        this.context = context;
        this.foreign =
                all().stream()
                        .filter(type -> !type.getName().startsWith(JUNIT))
                        .filter(type -> !type.getPackageName().equals(OURS))
                        .toList();
    }

    /**
     * Returns the classes of all that are neither JUnit's nor ours. JUnit's have nothing that a run
     * could use up, except for temporary directories.
     */
    static List<Class<?>> foreign(TestCase test, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        Extensions.class, key -> new Extensions(test, context), Extensions.class)
                .foreign;
    }

    /** Does an extension implement a method, out of some that an interface has by default? */
    static boolean hasAny(Class<?> type, Class<? extends Extension> api, Set<String> methods) {
        return api.isAssignableFrom(type)
                && Arrays.stream(type.getMethods())
                        .anyMatch(
                                method ->
                                        methods.contains(method.getName())
                                                && method.getDeclaringClass() != api);
    }

    /** Does a class implement an interface that may not exist? */
    static boolean implementsInterface(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Class<?> implemented : each.getInterfaces()) {
                if (implemented.getName().equals(name) || implementsInterface(implemented, name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the fields of a test's classes that have annotations. */
    static List<Field> annotatedFields(TestCase test) {
        return test.classes().stream()
                .flatMap(
                        type ->
                                ReflectionSupport.findFields(
                                        type,
                                        field -> field.getAnnotations().length > 0,
                                        HierarchyTraversalMode.TOP_DOWN)
                                        .stream())
                .toList();
    }

    private Set<Class<?>> all() {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (AnnotatedElement element : elements()) {
            types.addAll(at(element));
        }
        for (Field field : annotatedFields(test)) {
            types.addAll(at(field));
            if (AnnotationSupport.isAnnotated(field, RegisterExtension.class)) {
                types.add(registered(field));
            }
        }
        types.addAll(autodetected());
        return types;
    }

    /** The method, its parameters, and the classes with all that they inherit from. */
    private List<AnnotatedElement> elements() {
        List<AnnotatedElement> elements = new ArrayList<>();
        elements.add(test.method());
        elements.addAll(Arrays.asList(test.method().getParameters()));
        for (Class<?> type : test.classes()) {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                elements.add(each);
                elements.addAll(Arrays.asList(each.getInterfaces()));
            }
        }
        return elements;
    }

    private static List<Class<? extends Extension>> at(AnnotatedElement element) {
        return AnnotationSupport.findRepeatableAnnotations(element, ExtendWith.class).stream()
                .flatMap(extend -> Arrays.stream(extend.value()))
                .toList();
    }

    /** The type that the field was declared with may not have the callbacks. */
    private Class<?> registered(Field field) {
        Object owner = null;
        if (!Modifier.isStatic(field.getModifiers())) {
            owner =
                    context.getTestInstances()
                            .flatMap(each -> each.findInstance(field.getDeclaringClass()))
                            .orElse(null);
            if (owner == null) {
                return field.getType();
            }
        }
        return ReflectionSupport.tryToReadFieldValue(field, owner)
                .toOptional()
                .<Class<?>>map(Object::getClass)
                .orElse(field.getType());
    }

    private List<Class<? extends Extension>> autodetected() {
        boolean isOn =
                context.getConfigurationParameter(AUTODETECTION, Boolean::parseBoolean)
                        .orElse(false);
        if (!isOn) {
            return List.of();
        }
        Stream<ServiceLoader.Provider<Extension>> providers =
                ServiceLoader.load(Extension.class, test.type().getClassLoader()).stream();
        return providers.<Class<? extends Extension>>map(ServiceLoader.Provider::type).toList();
    }

    /**
     * Refuses to measure one thread where JUnit calls an interceptor of another extension between
     * ours and the body of the test, since it is registered later. Nothing of ours can see whether
     * it has the body run in another thread, of which nothing would count. Call this where ours is
     * called.
     *
     * @throws ExtensionConfigurationException with its name
     */
    static void refuseInnerInterceptors(TestCase test, List<Rule> rules, ExtensionContext context) {
        for (Rule rule : rules) {
            String inner =
                    rule.scope().threads() == ThreadScope.TEST ? firstInner(test, context) : "";
            if (!inner.isEmpty()) {
                throw Placement.refused(
                        test.method(),
                        """
                        %s counts the thread of the test, and the extension %s is called between \
                        HeapSampler and the body of the test, where it may change the thread. \
                        Register it before HeapSampler: with the class or in a static field, \
                        while the limit is at the test. Or let all threads count, with threads = \
                        ALL.\
                        """
                                .formatted(rule.name(), inner),
                        null);
            }
        }
    }

    /** Returns the name of one; empty if there is none. */
    private static String firstInner(TestCase test, ExtensionContext context) {
        List<Class<?>> interceptors =
                foreign(test, context).stream().filter(Extensions::isInterceptor).toList();
        Set<Class<?>> callers = interceptors.isEmpty() ? Set.of() : callers();
        return interceptors.stream()
                .filter(type -> callers.stream().noneMatch(each -> isOf(each, type)))
                .map(Class::getName)
                .findFirst()
                .orElse("");
    }

    private static boolean isInterceptor(Class<?> type) {
        return hasAny(type, InvocationInterceptor.class, INTERCEPTIONS);
    }

    /** Those of an outer one are among them, even if it has changed the thread. */
    private static Set<Class<?>> callers() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(
                        frames ->
                                frames.map(StackFrame::getDeclaringClass)
                                        .filter(type -> type != InvocationInterceptor.class)
                                        .collect(Collectors.toSet()));
    }

    /** Is a class on the stack that of an extension, one that it inherits from, or is inside? */
    private static boolean isOf(Class<?> caller, Class<?> extension) {
        for (Class<?> each = caller; each != null; each = each.getEnclosingClass()) {
            if (each == extension) {
                return true;
            }
        }
        return InvocationInterceptor.class.isAssignableFrom(caller)
                && caller.isAssignableFrom(extension);
    }
}
