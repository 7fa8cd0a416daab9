// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static io.heapsampler.HeldShot.MAP;
import static io.heapsampler.HeldShot.NODE;
import static io.heapsampler.HeldShot.TABLE;
import static io.heapsampler.HeldShot.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.internal.holders.HeldAddition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The drawn tree, as a whole. */
class HeldByTextTest {

    private final HeldShot shot = new HeldShot();

    private static final String OPEN = "static com.acme.Shop.open -> " + MAP;

    private static HeldBy shop() {
        HeldShot shot = new HeldShot();
        int bytes = shot.site("byte[]", "fill", 12);
        int orders = shot.site("com.acme.Order", "order", 20);
        shot.live(bytes, 60, 100_000, 100_000).live(orders, 20, 50_000, 100_000);
        shot.held.dominators();
        for (int i = 0; i < 80; i++) {
            if (i < 40) {
                shot.held.path(
                        i,
                        OPEN + " !",
                        TABLE + " !",
                        NODE,
                        value("com.acme.Order"),
                        "com.acme.Order.text -> java.lang.String",
                        "java.lang.String.value -> byte[]");
            } else if (i < 52) {
                shot.held.path(i, "thread 7 -> java.lang.Thread", "com.acme.Job.data -> byte[]");
            } else if (i < 56) {
                shot.held.unresolved(i, 6);
            } else if (i < 60) {
                shot.held.path(i, "local com.acme.Shop.run 7 -> byte[]");
            } else {
                shot.held.path(i, OPEN + " !", TABLE + " !", NODE, value("com.acme.Order !"));
            }
        }
        return shot.snapshot(new HeldAddition(0, "", Map.of(7L, "main"))).heldBy().orElseThrow();
    }

    @Test
    void theWholeTreeIsDrawnWhereThereIsRoom() {
        assertThat(shop().toText(15))
                .isEqualTo(
                        """
                        11.5 MiB ± 1.6 MiB live in 80 samples, 95 % with a holder (walked in a child process, longest pause 42 ms)
                        ├─ 74 %, 8.5 MiB ± 1.4 MiB: static field com.acme.Shop.open
                        │                           ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ would free 8.5 MiB ± 1.4 MiB
                        │  ↓ value in HashMap
                        │  ├─ 53 %, 6 MiB ± 1.1 MiB: com.acme.Order.text
                        │  │  ↓ content of a String
                        │  │  ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        │  ╰→ 21 %, 2.4 MiB ± 847.1 KiB: com.acme.Order allocated at com.acme.Shop.order(Source.java:20)
                        ├─ 16 %, 1.8 MiB from 12 samples: thread main
                        │  ↓ com.acme.Job.data
                        │    ~~~~~~~~~~~~~~~~~ others hold the objects as well
                        │  ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        ╰─ 5 %, 618 KiB from 4 samples: local of com.acme.Shop.run in thread main
                           ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        no holder known: 5 %, 618 KiB from 4 samples (ONLY_WEAK 5 %)\
                        """);
        assertThat(shop().toText(1_000)).isEqualTo(shop().toText(15));
    }

    @Test
    void whereThereIsLittleRoomTheHeaviestPathIsDrawn() {
        assertThat(shop().toText(10))
                .isEqualTo(
                        """
                        11.5 MiB ± 1.6 MiB live in 80 samples, 95 % with a holder (walked in a child process, longest pause 42 ms)
                        ├─ 74 %, 8.5 MiB ± 1.4 MiB: static field com.acme.Shop.open
                        │                           ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ would free 8.5 MiB ± 1.4 MiB
                        │  ↓ value in HashMap
                        │  ├─ 53 %, 6 MiB ± 1.1 MiB: com.acme.Order.text
                        │  │  ↓ content of a String
                        │  │  ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        │  ╰→ 21 %, 2.4 MiB ± 847.1 KiB: com.acme.Order allocated at com.acme.Shop.order(Source.java:20)
                        ╰─ 21 %, 2.4 MiB ± 734.6 KiB: 2 more
                        no holder known: 5 %, 618 KiB from 4 samples (ONLY_WEAK 5 %)\
                        """);
    }

    @Test
    void theMiddleOfALongPathIsLeftOutButNotTheSuspect() {
        assertThat(longPath().toText(13))
                .isEqualTo(
                        """
                        1,000 B live in 1 sample, 100 % with a holder (walked in a child process, longest pause 42 ms)
                        ╰─ 100 %, 1,000 B: static field com.acme.Shop.it
                           ↓ com.acme.A0.b
                           ↓ com.acme.A1.b
                           ↓ com.acme.A2.b
                             … 6 references
                           ↓ com.acme.A9.list
                             ~~~~~~~~~~~~~~~~
                             … 7 references
                           ↓ com.acme.A18.b
                           ↓ org.hibernate.B.b
                           ↓ org.hibernate.B.c
                           ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)\
                        """);
        assertThat(longPath().toText(40).lines()).hasSize(24);
    }

    private static HeldBy longPath() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 1);
        String[] steps = new String[21];
        for (int i = 0; i < 19; i++) {
            steps[i] = "com.acme.A" + i + ".b -> com.acme.A" + (i + 1);
        }
        steps[9] = "com.acme.A9.list -> java.util.ArrayList";
        steps[10] = "java.util.ArrayList.elementData -> java.lang.Object[]";
        steps[11] = "[] -> com.acme.A12";
        steps[19] = "org.hibernate.B.b -> org.hibernate.B";
        steps[20] = "org.hibernate.B.c -> byte[]";
        shot.held.path(0, "static com.acme.Shop.it -> com.acme.A0", steps);
        return shot.heldBy();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 20})
    void noTextHasMoreLinesThanAllowed(int lines) {
        for (HeldBy each : List.of(shop(), longPath(), wide())) {
            assertThat(each.toText(lines).lines()).hasSizeLessThanOrEqualTo(lines);
        }
    }

    private static HeldBy wide() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 400);
        for (int i = 0; i < 400; i++) {
            shot.held.path(
                    i,
                    "static com.acme.Shop.s" + i % 20 + " -> com.acme.A",
                    "com.acme.A.f" + i + " -> com.acme.B",
                    "com.acme.B.g -> byte[]");
        }
        return shot.heldBy();
    }

    @Test
    void holdersOfEqualBytesComeInTheOrderOfTheirTexts() {
        assertThat(wide().toText(11))
                .isEqualTo(
                        """
                        390.6 KiB live in 400 samples, 100 % with a holder (walked in a child process, longest pause 42 ms)
                        ├─ 5 %, 19.5 KiB: static field com.acme.Shop.s0
                        │                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                        │  ├─ <1 %, 1,000 B: com.acme.A.f0
                        │  │  ↓ com.acme.B.g
                        │  │  ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        │  ├─ <1 %, 1,000 B: com.acme.A.f100
                        │  │  ↓ com.acme.B.g
                        │  │  ╰→ byte[] allocated at com.acme.Shop.fill(Source.java:12)
                        │  ╰─ 5 %, 17.6 KiB: 18 more
                        ╰─ 95 %, 371.1 KiB: 19 more\
                        """);
    }

    /** Two shots with the same paths in another order. */
    @Test
    void theTextDoesNotDependOnTheOrderOfTheTargets() {
        List<String> texts = new ArrayList<>();
        for (int step : new int[] {1, 7}) {
            HeldShot shot = new HeldShot();
            shot.live(shot.site("byte[]", "fill", 12), 10);
            for (int i = 0; i < 10; i++) {
                int sample = i * step % 10;
                shot.held.path(
                        sample,
                        "static com.acme.Shop.s" + sample % 3 + " -> com.acme.A",
                        "com.acme.A.f" + sample + " -> byte[]");
            }
            texts.add(shot.heldBy().toText(30));
        }
        assertThat(texts.get(1)).isEqualTo(texts.get(0));
    }

    @Test
    void anAnswerWithoutSamplesIsOneLine() {
        HeldShot shot = new HeldShot();
        shot.held.way(0);

        assertThat(shot.heldBy().toText(12))
                .isEqualTo("0 B live in 0 samples (the heap was not walked)");
        assertThat(shot.heldBy()).hasToString(shot.heldBy().toText(1));
    }

    @Test
    void controlCharactersOfNamesAreNotDrawn() {
        shot.live(shot.site("byte[]", "fill", 12), 1);
        shot.held.path(0, "thread 7 -> java.lang.Thread", "com.acme.Odd\u001b[31m.x -> byte[]");

        assertThat(shot.heldBy(Map.of(7L, "a\nb")).toText(4))
                .isEqualTo(
                        """
                        1,000 B live in 1 sample, 100 % with a holder (walked in a child process, longest pause 42 ms)
                        ╰─ 100 %, 1,000 B: thread a?b
                           ↓ com.acme.Odd?[31m.x
                             ~~~~~~~~~~~~~~~~~~~\
                        """);
    }

    @Test
    void noLinesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shot.heldBy().toText(0))
                .withMessage("lines must be 1 or more, but is 0; 12 show the path of one site");
    }
}
