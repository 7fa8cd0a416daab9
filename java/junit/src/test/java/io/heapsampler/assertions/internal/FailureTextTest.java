// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.assertions.WhenNotMeasured;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The golden texts. */
class FailureTextTest {

    private static HeapAmount amount(double bytes, double error, double objects, long samples) {
        return HeapAmount.of(
                Estimate.of(bytes, error * error, 0, samples),
                Estimate.of(objects, 0, 0, samples),
                (long) bytes,
                samples);
    }

    private static StackTraceElement frame(String type, String method, int line) {
        String file = type.substring(type.lastIndexOf('.') + 1) + ".java";
        return new StackTraceElement(type, method, file, line);
    }

    private static SiteFigures estimated() {
        return new SiteFigures(
                "byte[]",
                List.of(
                        frame("java.util.Arrays", "copyOf", 3537),
                        frame("java.util.ArrayList", "grow", 239),
                        frame("com.acme.Cart", "add", 12),
                        frame("com.acme.Cart", "fill", 20),
                        frame("com.acme.CartTest", "fills", 31),
                        frame("com.acme.CartTest", "all", 40),
                        frame("com.acme.CartTest", "main", 50)),
                amount(900_000, 20_000, 900, 360),
                amount(100_000, 2_000, 100, 40),
                amount(0, 0, 0, 0));
    }

    private static SiteFigures exact() {
        return new SiteFigures(
                "com.acme.Item",
                List.of(frame("com.acme.Cart", "item", 7)),
                amount(24, 0, 1, 1),
                amount(0, 0, 0, 0),
                amount(24, 0, 1, 1));
    }

    private static Settings sites(int shown) {
        return new Settings(WhenNotMeasured.FAIL, -1, shown, OwnCode.DEFAULT, true);
    }

    @Test
    void wholeMessage() {
        String text =
                new FailureText("CartTest.fills() allocated 900,100 bytes.", sites(2))
                        .line("Measured: exact.")
                        .sites("Most allocated", List.of(estimated(), exact(), exact()))
                        .hint("start at the first site.")
                        .build();

        assertThat(text)
                .isEqualTo(
                        """
                        CartTest.fills() allocated 900,100 bytes.
                        Measured: exact.
                        Most allocated, 2 of 3 sites:
                          1. byte[]: 878.9 KiB ± 38.3 KiB (95 %, 360 samples) in 900 objects; alive 97.7 KiB, dead 781.3 KiB
                             your code: com.acme.Cart.add(Cart.java:12)
                                at java.util.Arrays.copyOf(Arrays.java:3537)
                                at java.util.ArrayList.grow(ArrayList.java:239)
                                at com.acme.Cart.add(Cart.java:12)
                                at com.acme.Cart.fill(Cart.java:20)
                                at com.acme.CartTest.fills(CartTest.java:31)
                                ... 2 more
                          2. com.acme.Item: 24 B in 1 object; it is unknown how much is alive
                                at com.acme.Cart.item(Cart.java:7)
                        What helps: start at the first site.\
                        """);
    }

    @Test
    void lengthIsBounded() {
        String name = "x".repeat(10_000);
        List<StackTraceElement> deep =
                new ArrayList<>(Collections.nCopies(1_000, frame("com." + name, "y", 1)));
        SiteFigures site =
                new SiteFigures(
                        name, deep, amount(1, 0, 1, 1), amount(0, 0, 0, 0), amount(0, 0, 0, 0));
        FailureText text = new FailureText("beyond", sites(20));

        text.sites("Most allocated", Collections.nCopies(50, site));

        assertThat(text.build()).hasSize(8_000).endsWith("longer than 8,000 characters]");
        assertThat(text.build().lines()).allMatch(line -> line.length() <= 240);
    }

    @Test
    void stackOfTheErrorIsThatOfTheFirstSite() {
        AssertionFailedError error =
                new FailureText("text", sites(1))
                        .sites("Most allocated", List.of(estimated(), exact()))
                        .error("at most 1 byte", "2 bytes");

        assertThat(error.getExpected().getValue()).isEqualTo("at most 1 byte");
        assertThat(error.getActual().getValue()).isEqualTo("2 bytes");
        assertThat(error.getStackTrace()).containsExactlyElementsOf(estimated().stack());
        assertThat(error.getSuppressed()).isEmpty();
    }

    @Test
    void changedSitesAreListedMostChangedFirst() {
        assertThat(
                        BaselineRule.changes(
                                Map.of("byte[] a.B.c", 1000L, "int[] a.B.c", 100L, "x a.B.c", 50L),
                                Map.of("byte[] a.B.c", 1050L, "int[] a.B.c", 300L, "y a.B.c", 9L)))
                .containsExactly(
                        "  changed: int[] a.B.c from 100 B to 300 B",
                        "  changed: x a.B.c from 50 B to 0 B",
                        "  changed: y a.B.c from 0 B to 9 B");
    }

    /** Its end says why the figure is uncertain. */
    @Test
    void lineAboutTheMeasurementIsNotCut() {
        String line = "Measured: " + "x".repeat(300) + "; with virtual threads.";

        assertThat(FailureText.shortened(line)).isEqualTo(line);
    }
}
