// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.assertFrame;
import static io.heapsampler.heapmonitor.Recordings.during;
import static io.heapsampler.heapmonitor.Recordings.lambdaOf;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever makes an object: it is one sample, with the line that made it. */
@ExtendWith(CleanSampler.class)
@Tag("J3")
class OriginTest {

    /** The line of the allocation that ran last, noted by the code that allocates. */
    private static int line;

    private static final class Marker {}

    private static class Escaping {
        static int line;
        static int callLine;

        final Object part = makePart();

        Escaping() {
            Work.sink = this;
        }

        private static Object makePart() {
            line = Work.nextLine();
            return new Marker();
        }
    }

    private static final class Initialised {
        static int line = Work.nextLine();
        static final Object PART = new Marker();
    }

    private static final class Original implements Cloneable {
        Object copy() throws CloneNotSupportedException {
            line = Work.nextLine();
            return clone();
        }
    }

    private static HeapFrame leaf(HeapSnapshot snapshot, Class<?> type) {
        return siteOf(snapshot, type).stack().get(0);
    }

    @Test
    @Tag("J18")
    void constructorIsAFrameAndAnEscapingObjectIsOneSample() {
        Runnable work =
                () -> {
                    Escaping.callLine = Work.nextLine();
                    Work.sink = new Escaping();
                };
        HeapSnapshot seen = during(work, Escaping.class, Marker.class);

        HeapSite object = siteOf(seen, Escaping.class);
        assertThat(object.allocated().samples()).isEqualTo(1);
        assertThat(object.stack().get(0).lineNumber()).hasValue(Escaping.callLine);
        HeapSite part = siteOf(seen, Marker.class);
        assertFrame(part.stack().get(0), Escaping.class, "makePart", Escaping.line);
        assertThat(part.stack().get(1).className()).isEqualTo(Escaping.class.getName());
        assertThat(part.stack().get(1).methodName()).isEqualTo("<init>");
        assertThat(part.stack().get(2).lineNumber()).hasValue(Escaping.callLine);
    }

    @Test
    void staticInitialiserIsAFrame() {
        HeapSnapshot seen = during(() -> Work.sink = Initialised.PART, Marker.class);

        assertFrame(leaf(seen, Marker.class), Initialised.class, "<clinit>", Initialised.line);
    }

    @Test
    void cloneIsSampledWithTheLineOfItsCaller() throws Exception {
        Original original = new Original();
        HeapSnapshot seen =
                during(
                        () -> {
                            try {
                                Work.sink = original.copy();
                            } catch (CloneNotSupportedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        Original.class);

        HeapSite site = siteOf(seen, Original.class);
        assertThat(site.stack().get(0).toString())
                .isEqualTo("java.lang.Object.clone(Native Method)");
        assertThat(site.stack().get(0).isNative()).isTrue();
        assertFrame(site.stack().get(1), Original.class, "copy", line);
    }

    @Test
    void arrayCloneAndMultiDimensionalArrayHaveTheirLine() {
        int[] lines = new int[2];
        int[][] original = new int[3][];
        HeapSnapshot seen =
                during(
                        () -> {
                            lines[0] = Work.nextLine();
                            Work.sink = original.clone();
                            lines[1] = Work.nextLine();
                            Work.sink = new Marker[2][3];
                        },
                        int[][].class,
                        Marker[][].class,
                        Marker[].class);

        assertThat(lambdaOf(siteOf(seen, int[][].class), OriginTest.class).lineNumber())
                .hasValue(lines[0]);
        for (Class<?> type : List.of(Marker[][].class, Marker[].class)) {
            assertThat(leaf(seen, type).methodName()).startsWith("lambda$");
            assertThat(leaf(seen, type).lineNumber()).hasValue(lines[1]);
        }
    }

    @Test
    void stringConcatenationIsSampledInItsLine() {
        int[] concatLine = new int[1];
        Runnable work =
                () -> {
                    concatLine[0] = Work.nextLine();
                    Work.sink = "text " + concatLine[0];
                };
        work.run(); // links the call site
        HeapSnapshot seen = during(work, String.class);

        assertThat(seen.sites())
                .anySatisfy(
                        s -> {
                            assertThat(s.className()).isEqualTo("java.lang.String");
                            assertThat(lambdaOf(s, OriginTest.class).lineNumber())
                                    .hasValue(concatLine[0]);
                        });
    }

    @Test
    void exceptionsAreSampledWhereTheyArise() {
        int[] lines = new int[2];
        int[] numbers = {1, 0};
        HeapSnapshot seen =
                during(
                        () -> {
                            try {
                                lines[0] = Work.nextLine();
                                Work.sink = numbers[0] / numbers[1];
                            } catch (ArithmeticException e) {
                                lines[1] = Work.nextLine();
                                Work.sink = new IllegalStateException("made");
                            }
                        },
                        ArithmeticException.class,
                        IllegalStateException.class);

        assertThat(leaf(seen, ArithmeticException.class).lineNumber()).hasValue(lines[0]);
        assertThat(leaf(seen, IllegalStateException.class).lineNumber()).hasValue(lines[1]);
        assertThat(siteOf(seen, ArithmeticException.class).allocated().samples()).isEqualTo(1);
    }

    @Test
    void objectsMadeByJniShowTheNativeMethodAndItsCaller() {
        int[] first = new int[1];
        Runnable work =
                () -> {
                    first[0] = Work.nextLine();
                    Work.sink = Native.newObject(Marker.class);
                    Work.sink = Native.allocObject(Original.class);
                    Work.sink = Native.newByteArray(1_000_000);
                    Work.sink = Native.newObjectArray(Marker.class, 5);
                    Work.sink = Native.newString(10);
                };
        HeapSnapshot seen =
                during(
                        work,
                        Marker.class,
                        Original.class,
                        byte[].class,
                        Marker[].class,
                        String.class);

        assertJni(seen, Marker.class, "newObject", first[0]);
        assertJni(seen, Original.class, "allocObject", first[0] + 1);
        assertJni(seen, byte[].class, "newByteArray", first[0] + 2);
        assertJni(seen, Marker[].class, "newObjectArray", first[0] + 3);
        assertJni(seen, String.class, "newString", first[0] + 4);
    }

    private static void assertJni(HeapSnapshot seen, Class<?> type, String method, int callLine) {
        String frame = Native.class.getName() + "." + method + "(Native Method)";
        HeapSite site =
                Recordings.sitesOf(seen, Recordings.nameOf(type)).stream()
                        .filter(s -> s.stack().get(0).toString().equals(frame))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + frame));
        assertThat(site.allocated().samples()).isEqualTo(1);
        assertThat(site.stack().get(0).isNative()).isTrue();
        assertThat(site.stack().get(0).lineNumber()).isEmpty();
        assertThat(site.stack().get(1).methodName()).startsWith("lambda$");
        assertThat(site.stack().get(1).lineNumber()).hasValue(callLine);
    }
}
