// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.AllocationProbe;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.TestInstanceFactory;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * What JUnit makes anew for each test, so that a method which is just called once more would find
 * it used: set-up methods, extensions around each test or invocation, temporary directories, and
 * parameters that are no plain values.
 */
final class SetUp {

    private static final Set<Class<?>> AROUND_EACH_TEST =
            Set.of(
                    BeforeEachCallback.class,
                    AfterEachCallback.class,
                    BeforeTestExecutionCallback.class,
                    AfterTestExecutionCallback.class,
                    TestInstancePostProcessor.class,
                    TestInstanceFactory.class);

    /** What an interceptor may do around each test. */
    private static final Set<String> INTERCEPTIONS =
            Set.of(
                    "interceptTestClassConstructor",
                    "interceptTestMethod",
                    "interceptTestTemplateMethod",
                    "interceptDynamicTest");

    /** Exists from JUnit 5.13 on. */
    private static final String CLASS_TEMPLATE =
            "org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider";

    /** Says that a class has arguments, from JUnit 5.13 on. */
    private static final @Nullable Class<? extends Annotation> PARAMETERIZED_CLASS =
            annotation("org.junit.jupiter.params.ParameterizedClass");

    /** Says that a field has one of them. */
    private static final @Nullable Class<? extends Annotation> PARAMETER =
            annotation("org.junit.jupiter.params.Parameter");

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

    /**
     * Returns the first argument of a parameterized class that a run could use up, in words. All
     * runs of a test get the same, even if each has an instance of its own.
     */
    static Optional<String> sharedArgument(TestCase test) {
        return test.classes().stream()
                .filter(type -> isAnnotated(type, PARAMETERIZED_CLASS))
                .flatMap(type -> Arrays.stream(type.getDeclaredConstructors()))
                .map(constructor -> noValue(constructor, " that its constructor takes"))
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> argumentInField(test));
    }

    private static Optional<String> argumentInField(TestCase test) {
        return Extensions.annotatedFields(test).stream()
                .filter(field -> isAnnotated(field, PARAMETER) && !isValue(field.getType()))
                .map(
                        field ->
                                "the %s that the field %s has"
                                        .formatted(
                                                field.getType().getSimpleName(), field.getName()))
                .findFirst();
    }

    /** Has it an annotation of a type that may not exist? */
    private static boolean isAnnotated(
            AnnotatedElement element, @Nullable Class<? extends Annotation> type) {
        return type != null && AnnotationLookup.isAnnotated(element, type);
    }

    /** Returns a type of annotations; null if this JUnit does not have it. */
    private static @Nullable Class<? extends Annotation> annotation(String name) {
        return ReflectionSupport.tryToLoadClass(name, SetUp.class.getClassLoader())
                .toOptional()
                .<Class<? extends Annotation>>map(type -> type.asSubclass(Annotation.class))
                .orElse(null);
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
        return Extensions.foreign(test, context).stream()
                .filter(this::isAroundEachTest)
                .map(type -> "the extension " + type.getName())
                .findFirst();
    }

    private boolean isAroundEachTest(Class<?> type) {
        return AROUND_EACH_TEST.stream().anyMatch(callback -> callback.isAssignableFrom(type))
                || Extensions.hasAny(type, InvocationInterceptor.class, INTERCEPTIONS)
                || mayRegisterOthers(type);
    }

    /** Does it give invocations extensions of their own, which only JUnit sees? */
    private boolean mayRegisterOthers(Class<?> type) {
        return (AnnotationSupport.isAnnotated(test.method(), TestTemplate.class)
                        && TestTemplateInvocationContextProvider.class.isAssignableFrom(type))
                || Extensions.implementsInterface(type, CLASS_TEMPLATE);
    }

    private Optional<String> directories() {
        return Extensions.annotatedFields(test).stream()
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
