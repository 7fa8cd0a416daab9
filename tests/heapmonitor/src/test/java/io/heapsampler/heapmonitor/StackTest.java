// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.assertFrame;
import static io.heapsampler.heapmonitor.Recordings.during;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Class, method and line of every frame, however the code runs and was called. */
@ExtendWith(CleanSampler.class)
@Tag("J3")
class StackTest {

    /** The line of the allocation that ran last, noted by the code that allocates. */
    private static int line;

    private static final class Marker {}

    /** Allocates and calls nothing else, so that it can be compiled whole. */
    private static void hot() {
        Work.sink = new Marker();
    }

    private static int hotLine() {
        HeapSite site = siteOf(during(StackTest::hot, Marker.class), Marker.class);
        return site.stack().get(0).lineNumber().orElse(-1);
    }

    private static void callHot(int times) {
        for (int i = 0; i < times; i++) {
            hot();
        }
    }

    private static void allocateHere() {
        line = Work.nextLine();
        Work.sink = new Marker();
    }

    @Test
    @Tag("J25")
    void lineIsExactInTheInterpreter() {
        int callLine = Work.nextLine();
        HeapSnapshot seen = during(() -> allocateHere(), Marker.class);

        HeapSite site = siteOf(seen, Marker.class);
        assertFrame(site.stack().get(0), StackTest.class, "allocateHere", line);
        assertThat(site.stack().get(0).descriptor()).isEqualTo("()V");
        assertThat(site.stack().get(0).isHidden()).isFalse();
        assertThat(site.stack().get(0).isNative()).isFalse();
        assertFrame(
                Recordings.frameOf(site, "lineIsExactInTheInterpreter"),
                StackTest.class,
                "lineIsExactInTheInterpreter",
                callLine);
        // The line is noted one line above, by the first statement.
        assertThat(site.stack().get(0).firstLineNumber()).hasValue(line - 1);
        assertThat(Recordings.frameOf(site, "lineIsExactInTheInterpreter").firstLineNumber())
                .hasValue(callLine - 1);
    }

    @Test
    void lineIsExactInCompiledCode() throws Exception {
        Method method = StackTest.class.getDeclaredMethod("hot");
        Method caller = StackTest.class.getDeclaredMethod("callHot", int.class);
        int interpreted = hotLine();
        Await.until(
                "compilation",
                () -> {
                    callHot(20_000);
                    return Native.compilations(method) > 0 && Native.compilations(caller) > 0;
                });
        callHot(200_000); // for the second compiler

        HeapSnapshot seen = during(() -> callHot(1_000), Marker.class);
        HeapSite site = siteOf(seen, Marker.class);
        assertThat(site.allocated().samples()).isEqualTo(1_000);
        assertFrame(site.stack().get(0), StackTest.class, "hot", interpreted);
        assertThat(site.stack().get(1).methodName()).isEqualTo("callHot");
        assertThat(site.stack().get(1).lineNumber()).hasValue(callHotLine());
    }

    private static int callHotLine() {
        HeapSite site = siteOf(during(() -> callHot(1), Marker.class), Marker.class);
        return site.stack().get(1).lineNumber().orElse(-1);
    }

    @Test
    void everyFrameIsThatOfAThrowableMadeOnTheSameLine() {
        StackTraceElement[][] expected = new StackTraceElement[1][];
        Supplier<Object> both =
                () -> {
                    Object[] made = {new Marker(), new Throwable()};
                    expected[0] = ((Throwable) made[1]).getStackTrace();
                    return made;
                };
        HeapSnapshot seen =
                during(() -> Stream.of(1, 2).map(i -> both.get()).findFirst(), Marker.class);

        List<StackTraceElement> frames =
                siteOf(seen, Marker.class).stack().stream()
                        .filter(f -> !f.isHidden())
                        .map(
                                f ->
                                        new StackTraceElement(
                                                f.rawClassName(),
                                                f.methodName(),
                                                f.fileName(),
                                                f.isNative() ? -2 : f.lineNumber().orElse(-1)))
                        .toList();
        assertThat(visible(frames)).isEqualTo(visible(Arrays.asList(expected[0])));
    }

    // A throwable leaves out what the JDK marks as @Hidden, and tells module and loader.
    private static List<String> visible(List<StackTraceElement> frames) {
        return frames.stream()
                .filter(f -> !f.getClassName().startsWith("java.lang.invoke."))
                .filter(f -> !f.getClassName().startsWith("jdk.internal.reflect."))
                .map(
                        f ->
                                f.getClassName()
                                        + "."
                                        + f.getMethodName()
                                        + ":"
                                        + f.getFileName()
                                        + ":"
                                        + f.getLineNumber())
                .toList();
    }

    @Test
    void lambdaBodyHasItsOwnFrameAboveAHiddenOne() {
        Runnable lambda =
                () -> {
                    line = Work.nextLine();
                    Work.sink = new Marker();
                };
        HeapSite site = siteOf(during(lambda, Marker.class), Marker.class);

        HeapFrame body = site.stack().get(0);
        assertThat(body.className()).isEqualTo(StackTest.class.getName());
        assertThat(body.methodName()).startsWith("lambda$lambdaBodyHasItsOwnFrameAboveAHiddenOne$");
        assertThat(body.lineNumber()).hasValue(line);
        HeapFrame object = site.stack().get(1);
        assertThat(object.className()).isEqualTo(StackTest.class.getName() + "$$Lambda");
        assertThat(object.rawClassName()).isEqualTo(lambda.getClass().getName());
        assertThat(object.methodName()).isEqualTo("run");
        assertThat(object.isHidden()).isTrue();
        assertThat(object.lineNumber()).isEmpty();
        assertThat(object.firstLineNumber()).isEmpty();
    }

    @Test
    void reflectionKeepsCalleeAndCallerExact() throws Exception {
        Method method = StackTest.class.getDeclaredMethod("allocateHere");
        int[] callLine = new int[1];
        Runnable work =
                () -> {
                    try {
                        callLine[0] = Work.nextLine();
                        method.invoke(null);
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                };
        for (int i = 0; i < 20; i++) { // natively, then through generated code
            HeapSite site = siteOf(during(work, Marker.class), Marker.class);
            assertFrame(site.stack().get(0), StackTest.class, "allocateHere", line);
            assertThat(site.stack())
                    .extracting(HeapFrame::className)
                    .anyMatch(n -> n.startsWith("jdk.internal.reflect."));
            assertThat(site.stack())
                    .extracting(HeapFrame::toString)
                    .anyMatch(f -> f.startsWith("java.lang.reflect.Method.invoke("));
            assertThat(Recordings.lambdaOf(site, StackTest.class).lineNumber())
                    .hasValue(callLine[0]);
            assertThat(site.stack())
                    .extracting(HeapFrame::className)
                    .noneMatch(n -> n.matches(".*Accessor\\d+"));
        }
    }

    @Test
    void methodHandleKeepsTheCalleeExact() throws Exception {
        MethodHandle handle =
                MethodHandles.lookup()
                        .findStatic(
                                StackTest.class, "allocateHere", MethodType.methodType(void.class));
        Runnable work =
                () -> {
                    try {
                        handle.invokeExact();
                    } catch (Throwable e) {
                        throw new IllegalStateException(e);
                    }
                };
        HeapSite site = siteOf(during(work, Marker.class), Marker.class);

        assertFrame(site.stack().get(0), StackTest.class, "allocateHere", line);
        assertThat(site.stack().stream().filter(HeapFrame::isHidden))
                .extracting(HeapFrame::className)
                .noneMatch(n -> n.contains("0x"));
    }

    @Test
    void proxyIsNamedWithoutItsNumber() {
        Runnable proxy =
                (Runnable)
                        Proxy.newProxyInstance(
                                StackTest.class.getClassLoader(),
                                new Class<?>[] {Runnable.class},
                                (self, method, arguments) -> {
                                    allocateHere();
                                    return null;
                                });
        HeapSite site = siteOf(during(() -> proxy.run(), Marker.class), Marker.class);

        assertFrame(site.stack().get(0), StackTest.class, "allocateHere", line);
        assertThat(site.stack())
                .anySatisfy(
                        f -> {
                            assertThat(f.className()).isEqualTo("jdk.proxy.$Proxy");
                            assertThat(f.rawClassName()).isEqualTo(proxy.getClass().getName());
                            assertThat(f.methodName()).isEqualTo("run");
                        });
    }

    @Test
    void recursionShowsEveryLevel() {
        HeapSite site = siteOf(during(() -> recurse(20), Marker.class), Marker.class);

        assertThat(site.isTruncated()).isFalse();
        assertThat(site.stack().subList(1, 22))
                .allSatisfy(f -> assertThat(f.methodName()).isEqualTo("recurse"));
        assertThat(site.stack().get(22).methodName()).startsWith("lambda$");
        Thread thread = Thread.currentThread();
        HeapFrame bottom = site.stack().get(site.stack().size() - 1);
        assertThat(bottom.methodName())
                .isEqualTo(
                        thread.getStackTrace()[thread.getStackTrace().length - 1].getMethodName());
    }

    private static void recurse(int depth) {
        if (depth > 0) {
            recurse(depth - 1);
        } else {
            allocateHere();
        }
    }
}
