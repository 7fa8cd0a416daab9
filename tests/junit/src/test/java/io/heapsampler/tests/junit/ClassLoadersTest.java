// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.tests.plugin.PluginDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Class loaders that stay, by each kind of holder. */
@ExtendWith(HoldersAreSearched.class)
class ClassLoadersTest {

    private static final List<Object> KEPT = new ArrayList<>();
    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    private static Object last;

    private final ExecutorService pool = Executors.newFixedThreadPool(1);

    @BeforeEach
    void needsCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        pool.shutdownNow();
        KEPT.clear();
        last = null;
    }

    private static String left(ThrowingRunnable code) {
        Throwable problem = catchThrowable(() -> Plugins.deploying(code).leavesNoClassLoader());
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
                                Plugins.deploying(() -> KEPT.add(Plugins.open()))
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
                                Plugins.deploying(
                                                () -> {
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
                                Plugins.deploying(ClassLoadersTest::keepTwo)
                                        .allowing("for the test", place)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
    }

    private static void keepTwo() {
        KEPT.add(Plugins.open());
        KEPT.add(Plugins.open());
    }
}
