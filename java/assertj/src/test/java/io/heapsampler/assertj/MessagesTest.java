// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.presentation.StandardRepresentation;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The messages, to the letter. */
class MessagesTest {

    private static final HeapSnapshot SHOP =
            new TestSnapshot(1024)
                    .afterGc()
                    .site("byte[]", "com.acme.Cart.add", 100, 50, 0)
                    .site("byte[]", "com.acme.Cart.load", 9, 0, 2)
                    .site("char[]", "com.acme.Stock.load", 3, 0, 0)
                    .take();

    private static AssertionFailedError failure(ThrowingCallable assertion) {
        return catchThrowableOfType(AssertionFailedError.class, assertion);
    }

    @Test
    void overTheLimit() {
        AssertionFailedError error =
                failure(
                        () ->
                                assertThat(SHOP)
                                        .as("shop")
                                        .sitesOf(byte[].class)
                                        .allocatesAtMost("64 KB"));

        assertThat(error)
                .hasMessage(
                        """
                        [shop, sites of byte[]] Allocated bytes of sites of byte[] over the limit:
                          limit     at most 65,536 bytes (64 KiB)
                          actual    112.4 KiB ± 20.5 KiB (95 %, 109 samples)
                          surely    at least 96,009 bytes (93.8 KiB)
                          interval  1,024 bytes (1 KiB)
                        Top sites (2 of 2):
                          103.2 KiB ± 19.6 KiB of byte[], 1,651 ± 314 objects, 100 samples; live 51.6 KiB
                            your code: com.acme.Cart.add(Source.java:42)
                            at java.util.Arrays.copyOf(Source.java:3537)
                            at com.acme.Cart.add(Source.java:42)
                            at com.acme.Caller.run(Source.java:7)
                          9.3 KiB ± 5.9 KiB of byte[], 149 ± 94 objects, 9 samples; live 0 B
                            your code: com.acme.Cart.load(Source.java:42)
                            at java.util.Arrays.copyOf(Source.java:3537)
                            at com.acme.Cart.load(Source.java:42)
                            at com.acme.Caller.run(Source.java:7)
                        What helps: less at the sites above, or a limit of 138,084 bytes (134.8 KiB), which holds the whole 95 % interval.\
                        """);
        assertThat(error.getExpected().getStringRepresentation())
                .isEqualTo("at most 65,536 bytes (64 KiB)");
        assertThat(error.getActual().getStringRepresentation())
                .isEqualTo("112.4 KiB ± 20.5 KiB (95 %, 109 samples)");
        assertThat(error.getStackTrace()[0].getClassName()).startsWith(getClass().getName());
    }

    @Test
    void belowTheLimit() {
        assertThat(failure(() -> assertThat(SHOP).sitesOf("char[]").hasAllocatedAtLeast("1 MB")))
                .hasMessage(
                        """
                        [sites of char[]] Allocated bytes of sites of char[] below the limit:
                          limit     at least 1,048,576 bytes (1 MiB)
                          actual    3.1 KiB ± 3.4 KiB (roughly 95 %, 3 samples)
                          surely    at most 9,039 bytes (8.8 KiB)
                          interval  1,024 bytes (1 KiB)
                        Top sites (1 of 1):
                          3.1 KiB ± 3.4 KiB of char[], 50 ± 54 objects, 3 samples; live 0 B
                            your code: com.acme.Stock.load(Source.java:42)
                            at java.util.Arrays.copyOf(Source.java:3537)
                            at com.acme.Stock.load(Source.java:42)
                            at com.acme.Caller.run(Source.java:7)
                        What helps: make sure that sampling was on while it happened, and that the code was not compiled away; or lower the limit.\
                        """);
    }

    @Test
    void undecided() {
        assertThat(failure(() -> assertThat(SHOP).sitesOf("char[]").allocatesAtMost("4 KB")))
                .hasMessage(
                        """
                        [sites of char[]] Allocated bytes of sites of char[] undecided, the samples allow no verdict:
                          limit     at most 4,096 bytes (4 KiB)
                          actual    3.1 KiB ± 3.4 KiB (roughly 95 %, 3 samples)
                          between   1,111 bytes (1.1 KiB) and 9,039 bytes (8.8 KiB)
                          interval  1,024 bytes (1 KiB)
                        Top sites (1 of 1):
                          3.1 KiB ± 3.4 KiB of char[], 50 ± 54 objects, 3 samples; live 0 B
                            your code: com.acme.Stock.load(Source.java:42)
                            at java.util.Arrays.copyOf(Source.java:3537)
                            at com.acme.Stock.load(Source.java:42)
                            at com.acme.Caller.run(Source.java:7)
                        What helps: an interval of 32 bytes or less; or choose another outcome with whenUndecided(...).\
                        """);
    }

    @Test
    void undecidedForWhatIsUnconfirmed() {
        assertThat(
                        failure(
                                () ->
                                        assertThat(SHOP)
                                                .sitesAt("com.acme.Cart", "load")
                                                .leavesBehindAtMost("5 KB")))
                .hasMessage(
                        """
                        [sites at com.acme.Cart.load] Live bytes of sites at com.acme.Cart.load undecided, the samples allow no verdict:
                          limit     at most 5,120 bytes (5 KiB)
                          actual    no sample, and perhaps 2.1 KiB more
                          between   0 bytes and 7,437 bytes (7.3 KiB)
                          interval  1,024 bytes (1 KiB)
                        What helps: stop the work before the snapshot, because some was allocated after its collection; or choose another outcome with whenUndecided(...).\
                        """);
    }

    @Test
    void liveOverTheLimit() {
        assertThat(failure(() -> assertThat(SHOP).classTotals("byte[]").leavesBehindAtMost(100)))
                .hasMessage(
                        """
                        [class byte[]] Live bytes of class byte[] over the limit:
                          limit     at most 100 bytes
                          actual    51.6 KiB ± 13.9 KiB (95 %, 50 samples), and perhaps 2.1 KiB more
                          surely    at least 40,406 bytes (39.5 KiB)
                          interval  1,024 bytes (1 KiB)
                        Top sites (1 of 1):
                          51.6 KiB ± 13.9 KiB of byte[], 825 ± 222 objects, 50 samples; allocated 103.2 KiB
                            your code: com.acme.Cart.add(Source.java:42)
                            at java.util.Arrays.copyOf(Source.java:3537)
                            at com.acme.Cart.add(Source.java:42)
                            at com.acme.Caller.run(Source.java:7)
                        What helps: the frames say where the objects were allocated, HeapSampler.heldBy says what holds them.\
                        """);
    }

    @Test
    void anEstimateAlone() {
        HeapSite site = SHOP.sites().get(0);

        assertThat(failure(() -> assertThat(site.live().bytes()).isAtMost("50 KB")))
                .hasMessage(
                        """
                        Bytes undecided, the samples allow no verdict:
                          limit     at most 51,200 bytes (50 KiB)
                          actual    51.6 KiB ± 13.9 KiB (95 %, 50 samples)
                          between   40,406 bytes (39.5 KiB) and 69,040 bytes (67.4 KiB)
                        What helps: a smaller interval; or choose another outcome with whenUndecided(...).\
                        """);
        assertThat(failure(() -> assertThat(site.unconfirmed().bytes()).isAtMost(1_000_000)))
                .hasMessage(
                        """
                        Value undecided, the samples allow no verdict:
                          limit     at most 1,000,000
                          actual    no sample
                          between   0 and no known bound
                        What helps: begin with assertThat(snapshot), or say withInterval(...), so that it is known what no sample means; or choose another outcome with whenUndecided(...).\
                        """);
    }

    @Test
    void aCustomRepresentationShowsSitesAsItLikes() {
        AssertionFailedError error =
                failure(
                        () ->
                                assertThat(SHOP)
                                        .withRepresentation(
                                                new StandardRepresentation() {
                                                    @Override
                                                    public String toStringOf(Object object) {
                                                        return object instanceof HeapSite site
                                                                ? "<<" + site.className() + ">>"
                                                                : super.toStringOf(object);
                                                    }
                                                })
                                        .sitesOf("char[]")
                                        .allocatesAtMost(1));

        assertThat(error)
                .hasMessageContaining("Top sites (1 of 1):\n  <<char[]>>\n    your code: com.acme");
    }

    @Test
    void messagesAreBounded() {
        TestSnapshot made = new TestSnapshot(1024);
        String name = "x".repeat(5_000) + "%n%s\n" + "y".repeat(5_000);
        int[] frames = new int[100];
        Arrays.setAll(frames, f -> made.writer().frame(name + ".C" + f, name, f));
        for (int i = 0; i < 500; i++) {
            made.site(made.writer().stack(false, frames), name, 10, 5, 0);
        }
        HeapSnapshot snapshot = made.take();

        assertThat(failure(() -> assertThat(snapshot).allocatesAtMost(1)).getMessage())
                .hasSizeBetween(2_000, 8_000);
        assertThat(failure(() -> assertThat(snapshot).sitesOf(name).allocatesAtMost(1)))
                .extracting(Throwable::getMessage)
                .satisfies(text -> assertThat(text).hasSizeLessThan(8_000));
    }
}
