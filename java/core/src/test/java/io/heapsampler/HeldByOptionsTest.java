// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Options of a search for holders: defaults, copies, and what is refused. */
class HeldByOptionsTest {

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    @Test
    void defaultsAreModest() {
        assertThat(HeldByOptions.all())
                .hasToString(
                        "all live samples, maxSamples=1000, maxPause=PT0.01S, maxTime=PT30S,"
                                + " maxMemory=1073741824, waitsForTurn=true");
        assertThat(HeldByOptions.topByLive(1).toString())
                .startsWith("the site with most live bytes,");
        assertThat(HeldByOptions.topByLive(3).toString())
                .startsWith("the 3 sites with most live bytes,");
        assertThat(HeldByOptions.ofClass(byte[].class).toString()).startsWith("class byte[],");
    }

    @Test
    void eachLimitIsChangedInACopy() {
        HeldByOptions options =
                HeldByOptions.topByLive(2)
                        .maxSamples(50)
                        .maxPause(Duration.ofMillis(3))
                        .maxTime(Duration.ofSeconds(4))
                        .maxMemory(5_000)
                        .waitsForTurn(false);

        assertThat(options.maxSamples()).isEqualTo(50);
        assertThat(options.maxPause()).isEqualTo(Duration.ofMillis(3));
        assertThat(options.maxTime()).isEqualTo(Duration.ofSeconds(4));
        assertThat(options.maxMemory()).isEqualTo(5_000);
        assertThat(options.waitsForTurn()).isFalse();
        assertThat(options.toString()).startsWith("the 2 sites");
        assertThat(HeldByOptions.all().maxSamples(3).maxMemory(1).maxSamples()).isEqualTo(3);
        assertThat(HeldByOptions.all().maxSamples()).isEqualTo(1_000);
    }

    @Test
    void budgetsOfZeroOrLessAreRefused() {
        HeldByOptions all = HeldByOptions.all();
        for (int number : new int[] {0, -1, 100_001}) {
            assertRefused(
                    () -> all.maxSamples(number).toString(),
                    "maxSamples must be from 1 to 100,000, but is "
                            + number
                            + "; 1,000 samples give shares with errors of 3 %");
        }
        for (Duration time : new Duration[] {Duration.ZERO, Duration.ofMillis(-1)}) {
            assertRefused(
                    () -> all.maxPause(time).toString(),
                    "maxPause must be 1 µs or more, but is " + time + "; the default is 10 ms");
            assertRefused(
                    () -> all.maxTime(time).toString(),
                    "maxTime must be 1 µs or more, but is " + time + "; the default is 30 s");
        }
        for (long bytes : new long[] {0, -1}) {
            assertRefused(
                    () -> all.maxMemory(bytes).toString(),
                    "maxMemory must be 1 byte or more, but is " + bytes + "; the default is 1 GiB");
        }
        assertThat(all.maxPause(Duration.ofNanos(1_000)).maxPause()).hasNanos(1_000);
        assertThat(all.maxTime(Duration.ofSeconds(Long.MAX_VALUE)).maxTime())
                .isEqualTo(Duration.ofSeconds(Long.MAX_VALUE));
    }

    @Test
    void aSelectionOfNothingIsRefused() {
        assertRefused(
                () -> HeldByOptions.topByLive(0).toString(),
                "topByLive must be 1 or more, but is 0, which selects nothing;"
                        + " HeldByOptions.all() selects all sites");
        assertRefused(
                () -> HeldByOptions.ofSites(List.of()).toString(),
                "ofSites must have one site or more; HeldByOptions.all() selects all sites");
    }

    @Test
    void aClassThatHasNoObjectsIsRefused() {
        assertRefused(
                () -> HeldByOptions.ofClass("String").toString(),
                "className \"String\" matches no class: it has no package. Write"
                        + " \"java.lang.String\", or pass the Class if it is one of your own.");
        assertRefused(
                () -> HeldByOptions.ofClass("com.acme.*").toString(),
                "className \"com.acme.*\" matches no class: there are no patterns. Name one"
                        + " class.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeldByOptions.ofClass(Runnable.class).toString())
                .withMessageContaining("it is abstract or an interface");
    }

    @Test
    void nullIsRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> HeldByOptions.ofClass((String) null).toString());
        assertThatNullPointerException()
                .isThrownBy(() -> HeldByOptions.all().maxPause(null).toString());
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.heldBy(null).toString())
                .withMessage("options");
    }
}
