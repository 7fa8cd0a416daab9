// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.during;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static io.heapsampler.heapmonitor.Recordings.sitesOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Names of classes that are hidden, generated, unloaded, redefined, or not the only ones. */
@ExtendWith(CleanSampler.class)
@Tag("J29")
class NameTest {

    /** More than the lines of this file, so that shifted lines cannot be true ones by accident. */
    private static final int SHIFT = 1_000;

    private static final String CHURNED = Churned.class.getName();

    private static Object allocate(Class<?> type) {
        try {
            return type.getMethod("allocate").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HeapFrame leaf(HeapSite site) {
        return site.stack().get(0);
    }

    private static int lineOf(Class<?> type) {
        return leaf(siteOf(during(() -> Work.sink = allocate(type), type), type))
                .lineNumber()
                .orElse(-1);
    }

    @Test
    void arraysAndNestedClassesHaveTheirJavaNames() {
        class Local {}
        Object anonymous = new Object() {};
        HeapSnapshot seen =
                during(
                        () -> {
                            Work.sink = new int[2][];
                            Work.sink = new String[1][1][0];
                            Work.sink = new Local[1];
                            Work.sink = new boolean[1];
                            Work.sink = Native.allocObject(anonymous.getClass());
                        });

        assertThat(seen.classes())
                .extracting(c -> c.className())
                .contains(
                        "int[][]",
                        "java.lang.String[][][]",
                        Local.class.getName() + "[]",
                        "boolean[]",
                        anonymous.getClass().getName());
    }

    @Test
    void lambdaObjectsAreNamedWithoutTheirAddress() {
        HeapSnapshot seen =
                during(
                        () -> {
                            for (int i = 0; i < 10; i++) {
                                int captured = i;
                                Supplier<Object> lambda = () -> captured;
                                Work.sink = lambda;
                            }
                        });

        String name = NameTest.class.getName() + "$$Lambda";
        assertThat(sitesOf(seen, name).stream().mapToLong(s -> s.allocated().samples()).sum())
                .isGreaterThanOrEqualTo(10);
        assertThat(seen.classes()).extracting(c -> c.className()).noneMatch(n -> n.contains("0x"));
    }

    @Test
    void hiddenClassesAreNamedWithoutTheirAddressAndMerge() throws Exception {
        byte[] bytes = ClassBytes.of(Churned.class).bytes();
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        List<Class<?>> hidden = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            hidden.add(lookup.defineHiddenClass(bytes, true).lookupClass());
        }
        HeapSnapshot seen = during(() -> hidden.forEach(type -> Work.sink = allocate(type)));

        assertThat(sitesOf(seen, CHURNED)).isNotEmpty();
        assertThat(sitesOf(seen, CHURNED))
                .allSatisfy(
                        site -> {
                            assertThat(leaf(site).className()).isEqualTo(CHURNED);
                            assertThat(leaf(site).rawClassName()).startsWith(CHURNED + "/0x");
                            assertThat(leaf(site).isHidden()).isTrue();
                            assertThat(leaf(site).methodName()).isEqualTo("allocate");
                            assertThat(leaf(site).lineNumber()).isPresent();
                        });
        assertThat(Recordings.objectsOf(seen, Churned.class)).isEqualTo(3);
        assertThat(seen.classes()).filteredOn(c -> c.className().equals(CHURNED)).hasSize(1);
    }

    @Test
    void proxyObjectsAreNamedWithoutTheirNumber() {
        HeapSnapshot seen =
                during(
                        () ->
                                Work.sink =
                                        Proxy.newProxyInstance(
                                                NameTest.class.getClassLoader(),
                                                new Class<?>[] {Runnable.class, Comparable.class},
                                                (self, method, arguments) -> null));

        assertThat(sitesOf(seen, "jdk.proxy.$Proxy")).hasSize(1);
    }

    @Test
    void classesOfEqualNameInTwoLoadersKeepTheirOwnLines() throws Exception {
        Class<?> one = ClassBytes.of(Churned.class).load();
        Class<?> two = ClassBytes.of(Churned.class).shiftLines(SHIFT).load();
        HeapSnapshot seen =
                during(
                        () -> {
                            for (int i = 0; i < 5; i++) {
                                Work.sink = allocate(one);
                                Work.sink = allocate(two);
                            }
                        },
                        Churned.class);

        int line = lineOf(Churned.class);
        assertThat(sitesOf(seen, CHURNED))
                .extracting(s -> leaf(s).lineNumber().orElse(-1))
                .containsOnly(line, line + SHIFT)
                .contains(line, line + SHIFT);
        assertThat(Recordings.objectsOf(seen, Churned.class)).isEqualTo(10);
        assertThat(seen.classes()).hasSize(1);
    }

    @Test
    void unloadedClassesKeepTheirNamesAndNoneIsGivenToAnother() throws Exception {
        Await.assumeCollections();
        int rounds = 3;
        int perRound = 10;
        int line = lineOf(Churned.class);
        try (HeapRecording recording = Recordings.exact()) {
            for (int round = 0; round < rounds; round++) {
                List<WeakReference<Class<?>>> classes = new ArrayList<>();
                for (int i = 0; i < perRound; i++) {
                    classes.add(useAndForget(round * perRound + i));
                }
                Work.sink = null;
                Await.until(
                        "unloading",
                        () -> {
                            System.gc();
                            return classes.stream().allMatch(c -> c.get() == null);
                        });
            }
            HeapSnapshot seen = recording.snapshot();
            for (int number = 0; number < rounds * perRound; number++) {
                HeapSite site = siteOf(seen, CHURNED + number);
                assertThat(leaf(site).toString())
                        .isEqualTo(
                                "%s.allocate(Churned.java:%d)",
                                CHURNED + number, line + SHIFT * (number + 1));
                assertThat(site.allocated().samples()).isEqualTo(1);
            }
        }
    }

    private static WeakReference<Class<?>> useAndForget(int number) throws Exception {
        Class<?> type =
                ClassBytes.of(Churned.class)
                        .shiftLines(SHIFT * (number + 1))
                        .rename(CHURNED + number)
                        .load();
        Work.sink = allocate(type);
        return new WeakReference<>(type);
    }

    @Test
    void redefinedMethodKeepsOldLinesForOldSamplesAndHasNewOnesForNew() throws Exception {
        Class<?> type = ClassBytes.of(Churned.class).load();
        ClassBytes shifted = ClassBytes.of(Churned.class).shiftLines(SHIFT);
        int line = lineOf(Churned.class);
        try (HeapRecording recording = Recordings.exact(Churned.class)) {
            for (int i = 0; i < 3; i++) {
                Work.sink = allocate(type);
            }
            assertThat(Native.redefine(type, shifted.bytes())).isZero();
            for (int i = 0; i < 5; i++) {
                Work.sink = allocate(type);
            }
            HeapSnapshot seen = recording.snapshot();
            assertThat(objectsAtLine(seen, line)).isEqualTo(3);
            assertThat(objectsAtLine(seen, line + SHIFT)).isEqualTo(5);
        }
    }

    @Test
    void methodThatIsRedefinedWhileItRunsEndsWithItsOldLines() throws Exception {
        Class<?> type = ClassBytes.of(Churned.class).load();
        // Other code as well: with the same code the JVM takes the new line table for both.
        byte[] shifted = ClassBytes.of(Churned.class).pad().shiftLines(SHIFT).bytes();
        Runnable redefinition = () -> assertThat(Native.redefine(type, shifted)).isZero();

        int old = lineAfter(type, () -> {});
        assertThat(lineAfter(type, redefinition)).isEqualTo(old);
        assertThat(lineAfter(type, () -> {})).isEqualTo(old + SHIFT);
    }

    private static int lineAfter(Class<?> type, Runnable between) {
        HeapSnapshot seen =
                during(
                        () -> {
                            try {
                                Work.sink =
                                        type.getMethod("allocateAfter", Runnable.class)
                                                .invoke(null, between);
                            } catch (ReflectiveOperationException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        Churned.class);
        return leaf(siteOf(seen, Churned.class)).lineNumber().orElse(-1);
    }

    private static double objectsAtLine(HeapSnapshot snapshot, int line) {
        return sitesOf(snapshot, CHURNED).stream()
                .filter(s -> leaf(s).lineNumber().orElse(-1) == line)
                .mapToDouble(s -> s.allocated().objects().value())
                .sum();
    }
}
