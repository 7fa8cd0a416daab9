// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.tests.plugin.PluginDriver;
import java.lang.ref.SoftReference;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.MultipleFailuresError;

/** Class loaders that stay, by each kind of holder, and class loaders that go. */
class ClassLoadersTest {

    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Object, Object> WEAK = new WeakHashMap<>();
    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    private static Object last;

    private final ExecutorService pool = Executors.newFixedThreadPool(1);

    /** The search takes long where many builds share the cores. */
    @BeforeAll
    static void holdersAreSearchedForLong() {
        System.setProperty("heapsampler.holders.millis", "60000");
    }

    @AfterAll
    static void holdersAreNotSearched() {
        System.setProperty("heapsampler.holders.millis", "0");
    }

    @BeforeEach
    void needsCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        pool.shutdownNow();
        KEPT.clear();
        WEAK.clear();
        last = null;
    }

    private static AllocationAssert runs(ThrowingRunnable code) {
        return assertAllocations(code).as("deploying").iterations(5);
    }

    private static void assertNoneLeft(ThrowingRunnable code) {
        assertThatCode(() -> runs(code).leavesNoClassLoader()).doesNotThrowAnyException();
    }

    private static String left(ThrowingRunnable code) {
        Throwable problem = catchThrowable(() -> runs(code).leavesNoClassLoader());
        assertThat(problem)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("deploying leaves class loaders behind: ");
        return problem.getMessage();
    }

    private static String held(String message) {
        assertThat(message).contains("\nHeld by: ");
        String held = message.substring(message.indexOf("\nHeld by: ") + 1);
        assertThat(held.lines().count()).as(held).isLessThanOrEqualTo(12);
        return held;
    }

    // ---- As an annotation, and by code ----

    static class Leaving {
        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void leaves() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    void bothRulesOfTheAnnotationFail() {
        Throwable problem = Kit.problem(Leaving.class);

        assertThat(((MultipleFailuresError) problem).getFailures())
                .satisfiesExactly(
                        objects ->
                                assertThat(objects)
                                        .hasMessageStartingWith("Leaving.leaves() leaks: "),
                        loaders ->
                                assertThat(loaders)
                                        .hasMessageStartingWith(
                                                "Leaving.leaves() leaves class loaders behind: ")
                                        .hasMessageContaining("Held by: "));
    }

    static class Dropping {

        private Object field;

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void drops() throws Exception {
            Plugins.start().run();
        }

        @AllocationTest
        @NoLeaks(classLoaders = true, iterations = 5)
        void dropsWithFreshInstances() throws Exception {
            field = Plugins.start();
        }

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void keepsInItsInstance() throws Exception {
            field = Plugins.start();
        }

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        @AllowedLeak(
                reason = "for the test",
                frames = {"java.net.URLClassLoader", "io.heapsampler.tests.junit.*"})
        void keepsWhatItMay() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    void testsThatLeaveNonePass() {
        EngineExecutionResults results = Kit.run(Dropping.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(Kit.entries(results))
                .contains("PASSED: no class loader stays in 8 runs")
                .contains("PASSED: no class loader stays in 14 runs; 11 loaders allowed");
    }

    static class ByCode {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().noClassLoadersLeft(5).build();

        @Test
        void leaves() {
            KEPT.add(Plugins.open());
        }
    }

    @Test
    @Tag("once")
    void aLimitThatIsSetByCodeFails() {
        assertThat(Kit.problem(ByCode.class))
                .hasMessageStartingWith("ByCode.leaves() leaves class loaders behind: ");
        assertThatThrownBy(() -> HeapSamplerExtension.builder().noClassLoadersLeft(4))
                .hasMessageStartingWith("iterations must be from 5 to 1000, but is 4.");
        assertThatThrownBy(
                        () ->
                                HeapSamplerExtension.builder()
                                        .noClassLoadersLeft(5)
                                        .noClassLoadersLeft(6))
                .hasMessage(
                        "noClassLoadersLeft(6) and another limit are about the same class loaders."
                                + " Keep one, or let types, packages, exclude or threads tell them"
                                + " apart.");
    }

    /** In a JVM that unloads no class. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            System.out.println(Kit.problem(ByCode.class).getMessage());
        }
    }

    @Test
    @Tag("once")
    void nothingIsMeasuredWhereTheJvmUnloadsNoClasses() throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "-XX:-ClassUnloading",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains(
                        "noClassLoadersLeft(5) of ByCode.leaves() was not measured. This JVM"
                            + " unloads no classes (-XX:-ClassUnloading or -Xnoclassgc), so that"
                            + " each class loader stays. Run the test without that option.");
    }

    // ---- Left behind ----

    @Test
    void thoseOfAStaticListAreNamedWithTheirClassesTheirSiteAndTheirPath() {
        String message = left(() -> KEPT.add(Plugins.start()));

        Golden.assertText("class-loaders.txt", message);
    }

    @Test
    @Tag("once")
    void oneThatHasDefinedNoClassIsFound() {
        String message = left(() -> KEPT.add(Plugins.open()));

        assertThat(message)
                .contains("1. java.net.URLClassLoader \"plugin\": +1 in each of 5 runs")
                .contains("     defined no class");
        assertThat(held(message)).contains("↓ element of ArrayList\n");
    }

    @Test
    void oneInAStaticFieldThatEachRunReplacesIsLeft() {
        String message = left(() -> last = Plugins.start());

        assertThat(message)
                .contains("1 is alive that its runs made")
                .contains("\"plugin\": each run leaves one, until the next run");
        assertThat(held(message))
                .contains("╰─ 1 class loader: static field " + getClass().getName() + ".last\n");
    }

    @Test
    @Tag("once")
    void oneInAThreadLocalOfAPoolsThreadIsLeft() {
        String message =
                left(
                        () -> {
                            Runnable plugin = Plugins.start();
                            pool.submit(() -> LOCAL.set(plugin)).get();
                        });

        assertThat(held(message)).contains("thread-local of thread pool-");
    }

    @Test
    @Tag("once")
    void theContextClassLoaderOfAPoolsThreadIsLeft() {
        String message =
                left(
                        () -> {
                            ClassLoader loader = Plugins.open();
                            pool.submit(() -> Thread.currentThread().setContextClassLoader(loader))
                                    .get();
                        });

        assertThat(held(message))
                .contains("thread pool-")
                .contains("context class loader of a thread");
    }

    @Test
    @Tag("once")
    void thoseOfThreadsThatLiveOnAreLeft() throws Exception {
        List<Thread> threads = new ArrayList<>();
        try {
            String message =
                    left(
                            () -> {
                                Thread thread = new Thread(ClassLoadersTest::park, "worker");
                                thread.setContextClassLoader(Plugins.open());
                                thread.start();
                                threads.add(thread);
                            });

            assertThat(held(message)).contains("context class loader of a thread");
        } finally {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void park() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }

    @Test
    @Tag("once")
    void oneThatAShutdownHookHoldsIsLeft() {
        List<Thread> hooks = new ArrayList<>();
        try {
            String message =
                    left(
                            () -> {
                                Thread hook = new Thread(null, Plugins.start(), "hook");
                                Runtime.getRuntime().addShutdownHook(hook);
                                hooks.add(hook);
                            });

            assertThat(held(message)).contains("shutdown hook");
        } finally {
            hooks.forEach(Runtime.getRuntime()::removeShutdownHook);
        }
    }

    @Test
    @Tag("once")
    void oneWhoseDriverStaysRegisteredIsLeft() throws Exception {
        List<Class<?>> drivers = new ArrayList<>();
        try {
            String message = left(() -> drivers.add(Plugins.load(PluginDriver.class)));

            assertThat(message).contains("defined 1 class: " + PluginDriver.class.getName());
            assertThat(held(message)).contains("DriverManager");
        } finally {
            for (Class<?> driver : drivers) {
                driver.getMethod("leave").invoke(null);
            }
        }
    }

    @Test
    @Tag("once")
    void oneThatAnotherThreadMakesIsLeft() {
        String message = left(() -> pool.submit(() -> KEPT.add(Plugins.open())).get());

        assertThat(message).contains("java.net.URLClassLoader \"plugin\": +1 in each of 5 runs");
    }

    @Test
    @Tag("once")
    void whatHoldsThemCanBeOff() {
        Throwable problem =
                catchThrowable(
                        () ->
                                runs(() -> KEPT.add(Plugins.open()))
                                        .holders(false)
                                        .leavesNoClassLoader());

        assertThat(problem).hasMessageContaining("deploying leaves class loaders behind: ");
        assertThat(problem.getMessage()).doesNotContain("Held by");
    }

    /** The permission is for another place that makes loaders of the same class, and more. */
    @Test
    @Tag("once")
    void anAllowedPlaceHidesNoOther() {
        String place = ClassLoadersTest.class.getName() + ".keepTwo";
        Throwable problem =
                catchThrowable(
                        () ->
                                runs(() -> {
                                            keepTwo();
                                            KEPT.add(Plugins.open());
                                        })
                                        .allowing("for the test", place)
                                        .leavesNoClassLoader());

        assertThat(problem)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("deploying leaves class loaders behind: ");
        assertThat(problem.getMessage().lines().limit(8)).noneMatch(each -> each.contains(place));
        assertThatCode(
                        () ->
                                runs(ClassLoadersTest::keepTwo)
                                        .allowing("for the test", place)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
    }

    private static void keepTwo() {
        KEPT.add(Plugins.open());
        KEPT.add(Plugins.open());
    }

    // ---- Not left behind ----

    @Test
    @Tag("once")
    void oneThatIsDroppedIsNot() {
        assertNoneLeft(() -> Plugins.start().run());
    }

    @Test
    @Tag("once")
    void oneThatIsMadeOnceIsNot() {
        assertNoneLeft(
                () -> {
                    if (last == null) {
                        last = Plugins.start();
                    }
                });
    }

    @Test
    @Tag("once")
    void oneThatAFrameworkMakesInTheMidstOfTheRunsIsNot() {
        int[] runs = new int[1];
        assertNoneLeft(
                () -> {
                    runs[0]++;
                    if (runs[0] == 7 || runs[0] == 11) {
                        KEPT.add(Plugins.open());
                    }
                });
    }

    @Test
    @Tag("once")
    void thoseOfAFullCacheAreNot() {
        Deque<Object> cache = new ArrayDeque<>();
        KEPT.add(cache);
        assertNoneLeft(
                () -> {
                    cache.add(Plugins.start());
                    if (cache.size() > 3) {
                        cache.remove();
                    }
                });
    }

    @Test
    void thoseThatOnlySoftReferencesHoldAreNot() {
        assertNoneLeft(() -> KEPT.add(new SoftReference<>(Plugins.start())));
    }

    @Test
    @Tag("once")
    void oneThatWaitsForThePurgeOfAWeakMapIsNot() {
        assertNoneLeft(() -> WEAK.put(new Object(), Plugins.start()));
    }

    @Test
    @Tag("once")
    void oneThatTheTestItselfHoldsIsNot() {
        Object[] field = new Object[1];
        assertNoneLeft(() -> field[0] = Plugins.start());
        assertThat(field[0]).isNotNull();
    }

    /** JDK 17 makes a class loader for each method that is called often. */
    @Test
    void thoseOfReflectionAreNot() {
        Iterator<Method> methods =
                Stream.of(String.class.getMethods())
                        .filter(each -> each.getParameterCount() == 0)
                        .filter(each -> each.getDeclaringClass() == String.class)
                        .iterator();
        assertNoneLeft(
                () -> {
                    Method method = methods.next();
                    for (int i = 0; i < 50; i++) {
                        method.invoke("text");
                    }
                    KEPT.add(method);
                });
    }

    @Test
    @Tag("once")
    void oneOfAThreadThatIsAboutToEndIsNot() {
        assertNoneLeft(
                () -> {
                    Thread thread = new Thread(() -> LockSupport.parkNanos(200_000_000));
                    thread.setContextClassLoader(Plugins.open());
                    thread.start();
                });
    }

    @Test
    @Tag("once")
    void anAllowedOneIsNot() {
        String loader = URLClassLoader.class.getName();
        assertThatCode(
                        () ->
                                runs(() -> KEPT.add(Plugins.open()))
                                        .allowing("for the test", loader)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
        assertThatCode(
                        () ->
                                runs(() -> KEPT.add(Plugins.open()))
                                        .excluding(loader)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
    }
}
