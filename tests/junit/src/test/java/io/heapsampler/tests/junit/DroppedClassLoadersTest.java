// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.heapsampler.assertions.ThrowingRunnable;
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
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Class loaders that go, or stay without being a leak: what holds them may decide. */
@ExtendWith(HoldersAreSearched.class)
class DroppedClassLoadersTest {

    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Object, Object> WEAK = new WeakHashMap<>();
    private static Object last;

    @BeforeEach
    void needsCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        KEPT.clear();
        WEAK.clear();
        last = null;
    }

    private static void assertNoneLeft(ThrowingRunnable code) {
        assertThatCode(() -> Plugins.deploying(code).leavesNoClassLoader())
                .doesNotThrowAnyException();
    }

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
                                Plugins.deploying(() -> KEPT.add(Plugins.open()))
                                        .allowing("for the test", loader)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
        assertThatCode(
                        () ->
                                Plugins.deploying(() -> KEPT.add(Plugins.open()))
                                        .excluding(loader)
                                        .leavesNoClassLoader())
                .doesNotThrowAnyException();
    }
}
