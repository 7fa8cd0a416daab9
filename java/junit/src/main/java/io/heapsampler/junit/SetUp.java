// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.AllocationProbe;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstanceFactory;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * What JUnit makes anew for each test, so that a method which is just called once more would find
 * it used: set-up methods, extensions around each test, temporary directories, and parameters that
 * are no plain values.
 */
final class SetUp {

    private static final String AUTODETECTION = "junit.jupiter.extensions.autodetection.enabled";
    private static final String JUNIT = "org.junit.jupiter.";
    private static final String OURS = SetUp.class.getPackageName();

    private static final Set<Class<?>> AROUND_EACH_TEST =
            Set.of(
                    BeforeEachCallback.class,
                    AfterEachCallback.class,
                    BeforeTestExecutionCallback.class,
                    AfterTestExecutionCallback.class,
                    TestInstancePostProcessor.class,
                    TestInstanceFactory.class);

    /** Parameters that no run can use up, besides ours. */
    private static final Set<Class<?>> VALUES =
            Set.of(
                    String.class,
                    Class.class,
                    Boolean.class,
                    Character.class,
                    TestInfo.class,
                    TestReporter.class,
                    RepetitionInfo.class,
                    AllocationProbe.class,
                    HeapRecording.class);

    private final TestCase test;
    private final ExtensionContext context;

    private SetUp(TestCase test, ExtensionContext context) {
        this.test = test;
        this.context = context;
    }

    /** Returns the first that a test has, in words; nothing if it can be called again as it is. */
    static Optional<String> of(TestCase test, ExtensionContext context) {
        SetUp setUp = new SetUp(test, context);
        return setUp.methods().or(setUp::extensions).or(setUp::directories).or(setUp::parameters);
    }

    /** Can a test be called once more after its verdict, and nothing differs but the JVM? */
    static boolean isStateless(TestCase test, ExtensionContext context) {
        return of(test, context).isEmpty()
                && test.classes().stream().allMatch(SetUp::hasNoInstanceFields);
    }

    private static boolean hasNoInstanceFields(Class<?> type) {
        return ReflectionSupport.findFields(
                        type,
                        field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic(),
                        HierarchyTraversalMode.TOP_DOWN)
                .isEmpty();
    }

    private Optional<String> methods() {
        for (Class<?> type : test.classes()) {
            for (Method method : methods(type, BeforeEach.class)) {
                return Optional.of("the method " + Placement.place(method) + " (@BeforeEach)");
            }
            for (Method method : methods(type, AfterEach.class)) {
                return Optional.of("the method " + Placement.place(method) + " (@AfterEach)");
            }
        }
        return Optional.empty();
    }

    private static List<Method> methods(Class<?> type, Class<? extends Annotation> annotation) {
        return AnnotationSupport.findAnnotatedMethods(
                type, annotation, HierarchyTraversalMode.TOP_DOWN);
    }

    private Optional<String> extensions() {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (AnnotatedElement element : withSuperclasses()) {
            types.addAll(extensions(element));
        }
        for (Field field : fields()) {
            types.addAll(extensions(field));
            if (AnnotationSupport.isAnnotated(field, RegisterExtension.class)) {
                types.add(extension(field));
            }
        }
        types.addAll(autodetected());
        return types.stream()
                .filter(SetUp::isAroundEachTest)
                .map(type -> "the extension " + type.getName())
                .findFirst();
    }

    private List<AnnotatedElement> withSuperclasses() {
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

    private static List<Class<? extends Extension>> extensions(AnnotatedElement element) {
        return AnnotationSupport.findRepeatableAnnotations(element, ExtendWith.class).stream()
                .flatMap(extend -> Arrays.stream(extend.value()))
                .toList();
    }

    private List<Field> fields() {
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

    /** The type that the field was declared with may not have the callbacks. */
    private Class<?> extension(Field field) {
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

    /** JUnit's own have nothing that a run could use up, but for temporary directories. */
    private static boolean isAroundEachTest(Class<?> type) {
        String name = type.getName();
        return !name.startsWith(JUNIT)
                && !type.getPackageName().equals(OURS)
                && AROUND_EACH_TEST.stream().anyMatch(callback -> callback.isAssignableFrom(type));
    }

    private Optional<String> directories() {
        return fields().stream()
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .filter(field -> AnnotationSupport.isAnnotated(field, TempDir.class))
                .map(
                        field ->
                                "the field "
                                        + field.getDeclaringClass().getName()
                                        + "."
                                        + field.getName()
                                        + " (@TempDir)")
                .findFirst();
    }

    private Optional<String> parameters() {
        return test.classes().stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredConstructors()))
                .map(constructor -> noValue(constructor, " that its constructor takes"))
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> noValue(test.method(), " that it takes"));
    }

    private static Optional<String> noValue(Executable executable, String what) {
        boolean isOfInner =
                executable instanceof Constructor<?> constructor
                        && isInner(constructor.getDeclaringClass());
        return Arrays.stream(executable.getParameterTypes())
                .skip(isOfInner ? 1 : 0)
                .filter(type -> !isValue(type))
                .map(type -> "the " + type.getSimpleName() + what)
                .findFirst();
    }

    private static boolean isInner(Class<?> type) {
        return type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    }

    private static boolean isValue(Class<?> type) {
        return type.isPrimitive()
                || type.isEnum()
                || VALUES.contains(type)
                || (Number.class.isAssignableFrom(type) && type.getName().startsWith("java.lang."));
    }
}
