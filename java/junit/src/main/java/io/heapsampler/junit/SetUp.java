// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.internal.Rule;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
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

    /**
     * Refuses to repeat what JUnit sets up once: a run that was not set up again is no evidence.
     */
    static void requireRepeatable(TestCase test, List<Rule> rules, ExtensionContext context) {
        for (Rule rule : rules) {
            String why = rule.repeats().isAsked() ? refusal(test, context) : "";
            if (!why.isEmpty()) {
                throw Placement.refused(
                        test.method(), rule.name() + " needs several runs, and " + why, null);
            }
        }
    }

    /** Returns why a test cannot be repeated; empty if it can. */
    private static String refusal(TestCase test, ExtensionContext context) {
        String argument = sharedArgument(test).orElse("");
        if (!argument.isEmpty()) {
            return """
            all of them get the same argument of the parameterized class, which the first may \
            use up: %s. Let the class take plain values, such as numbers and strings, and make \
            the rest in @BeforeEach.\
            """
                    .formatted(argument);
        }
        String setUp = test.isTemplate() ? "" : of(test, context).orElse("");
        return setUp.isEmpty()
                ? ""
                : """
                a method that is only called again finds used what JUnit makes anew for each \
                test: %s. Write @AllocationTest in place of @Test: each run then has a fresh \
                instance with its set-up.\
                """
                        .formatted(setUp);
    }

    /** Returns the first that a test has, in words; nothing if it can be called again as it is. */
    private static Optional<String> of(TestCase test, ExtensionContext context) {
        SetUp setUp = new SetUp(test, context);
        return setUp.methods().or(setUp::extensions).or(setUp::directories).or(setUp::parameters);
    }

    /**
     * Returns the first argument of a parameterized class that a run could use up, in words. All
     * runs of a test get the same, even if each has an instance of its own.
     */
    private static Optional<String> sharedArgument(TestCase test) {
        return inConstructor(test, type -> isAnnotated(type, PARAMETERIZED_CLASS))
                .or(() -> argumentInField(test));
    }

    private static Optional<String> argumentInField(TestCase test) {
        return Extensions.annotatedFields(test).stream()
                .filter(field -> isAnnotated(field, PARAMETER) && !isValue(field.getType()))
                .map(field -> noun(field.getType(), " that the field " + field.getName() + " has"))
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
        return test.classes().stream()
                .flatMap(
                        type ->
                                Stream.concat(
                                        methods(type, BeforeEach.class),
                                        methods(type, AfterEach.class)))
                .findFirst();
    }

    private static Stream<String> methods(Class<?> type, Class<? extends Annotation> annotation) {
        return AnnotationSupport.findAnnotatedMethods(
                        type, annotation, HierarchyTraversalMode.TOP_DOWN)
                .stream()
                .map(Placement::place)
                .map(name -> "the method %s (@%s)".formatted(name, annotation.getSimpleName()));
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
                .map(field -> field.getDeclaringClass().getName() + "." + field.getName())
                .map(field -> "the field " + field + " (@TempDir)")
                .findFirst();
    }

    private Optional<String> parameters() {
        return inConstructor(test, type -> true).or(() -> noValue(test.method(), " that it takes"));
    }

    private static Optional<String> inConstructor(TestCase test, Predicate<Class<?>> wanted) {
        return test.classes().stream()
                .filter(wanted)
                .flatMap(type -> Arrays.stream(type.getDeclaredConstructors()))
                .flatMap(each -> noValue(each, " that its constructor takes").stream())
                .findFirst();
    }

    /** The first parameter that is no plain value. */
    private static Optional<String> noValue(Executable executable, String what) {
        Class<?> owner = executable.getDeclaringClass();
        boolean hasOuter =
                executable instanceof Constructor<?>
                        && owner.isMemberClass()
                        && !Modifier.isStatic(owner.getModifiers());
        return Arrays.stream(executable.getParameterTypes())
                .skip(hasOuter ? 1 : 0)
                .filter(type -> !isValue(type))
                .map(type -> noun(type, what))
                .findFirst();
    }

    private static String noun(Class<?> type, String what) {
        return "the " + type.getSimpleName() + what;
    }

    private static boolean isValue(Class<?> type) {
        return type.isPrimitive()
                || type.isEnum()
                || VALUES.contains(type)
                || (Number.class.isAssignableFrom(type) && type.getName().startsWith("java.lang."));
    }
}
