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
                                        .hasAllocatedAtMost("64 KB"));

        assertThat(error)
                .hasMessage(
                        """
                        [shop, sites of byte[]] GOLDEN1""");
        assertThat(error.getExpected().getStringRepresentation())
                .isEqualTo("at most 65536 bytes (64 KiB)");
        assertThat(error.getActual().getStringRepresentation()).isEqualTo("GOLDEN2");
        assertThat(error.getStackTrace()[0].getClassName()).startsWith(getClass().getName());
    }

    @Test
    void belowTheLimit() {
        assertThat(failure(() -> assertThat(SHOP).sitesOf("char[]").hasAllocatedAtLeast("1 MB")))
                .hasMessage(
                        """
                        [sites of char[]] GOLDEN3""");
    }

    @Test
    void undecided() {
        assertThat(failure(() -> assertThat(SHOP).sitesOf("char[]").hasAllocatedAtMost("4 KB")))
                .hasMessage(
                        """
                        [sites of char[]] GOLDEN4""");
    }

    @Test
    void undecidedForWhatIsUnconfirmed() {
        assertThat(
                        failure(
                                () ->
                                        assertThat(SHOP)
                                                .sitesAt("com.acme.Cart", "load")
                                                .hasLiveAtMost("5 KB")))
                .hasMessage(
                        """
                        [sites at com.acme.Cart.load] GOLDEN5""");
    }

    @Test
    void liveOverTheLimit() {
        assertThat(failure(() -> assertThat(SHOP).classTotals("byte[]").hasLiveAtMost(100)))
                .hasMessage(
                        """
                        [class byte[]] GOLDEN6""");
    }

    @Test
    void anEstimateAlone() {
        HeapSite site = SHOP.sites().get(0);

        assertThat(failure(() -> assertThat(site.live().bytes()).isAtMost("50 KB")))
                .hasMessage("GOLDEN7");
        assertThat(failure(() -> assertThat(site.unconfirmed().bytes()).isAtMost(1_000_000)))
                .hasMessage("GOLDEN8");
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
                                        .hasAllocatedAtMost(1));

        assertThat(error).hasMessageContaining("Top sites (1 of 1):\n  <<char[]>>\n    at com.acme");
    }

    @Test
    void messagesAreBounded() {
        TestSnapshot made = new TestSnapshot(1024);
        String name = "x".repeat(5_000) + "%n%s\n" + "y".repeat(5_000);
        for (int i = 0; i < 500; i++) {
            int[] frames = new int[100];
            Arrays.setAll(frames, f -> made.writer().frame(name + ".C" + f, name, f));
            made.site(made.writer().stack(false, frames), name, 10, 5, 0);
        }
        HeapSnapshot snapshot = made.take();

        assertThat(failure(() -> assertThat(snapshot).hasAllocatedAtMost(1)).getMessage())
                .hasSizeBetween(2_000, 8_000);
        assertThat(failure(() -> assertThat(snapshot).sitesOf(name).hasAllocatedAtMost(1)))
                .extracting(Throwable::getMessage)
                .satisfies(text -> assertThat(text).hasSizeLessThan(8_000));
    }
}
