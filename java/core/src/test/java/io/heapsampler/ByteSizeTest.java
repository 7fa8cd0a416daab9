// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteSizeTest {

    @ParameterizedTest
    @CsvSource({
        "0 B, 0",
        "1B, 1",
        "64 KB, 65536",
        "64 kib, 65536",
        "1.5 MB, 1572864",
        "1 MiB, 1048576",
        "2 gb, 2147483648",
        "1 GiB, 1073741824",
        "0.3 KB, 307",
        "' 7  b ', 7",
    })
    void amountsArePowersOf1024(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "1 MBB, there is no unit \"MBB\".",
        "-1 KB, it is negative.",
        "1024, the unit is missing.",
        "'', it is empty.",
        "KB, it has another form.",
        "'1,5 KB', it has another form.",
        "9999999999 GB, it is more than 8 EiB.",
    })
    void otherTextsAreRefusedWithTheReasonAndTheForm(String text, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ByteSize.parse(text))
                .withMessage(
                        "\"%s\" is not an amount of bytes: %s Write a number and a unit, such as"
                            + " \"64 KB\" or \"1.5 MB\"; the units are B, KB, KiB, MB, MiB, GB and"
                            + " GiB, and 1 KB is 1 KiB is 1,024 bytes.",
                        text, why);
    }

    /** Without a cast: 4 GB as an int would be 0, which means every allocation. */
    @Test
    void anAmountGoesIntoTheOptionsAsItIs() {
        SamplerOptions.Builder options = SamplerOptions.builder();
        assertThat(options.interval(ByteSize.parse("64 KB")).build().interval()).isEqualTo(65_536);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.interval(ByteSize.parse("4 GB")))
                .withMessageContaining("4294967296");
    }

    @Test
    void amountsAreWrittenForPeople() {
        assertThat(ByteSize.format(0)).isEqualTo("0 B");
        assertThat(ByteSize.format(1023)).isEqualTo("1,023 B");
        assertThat(ByteSize.format(1536)).isEqualTo("1.5 KiB");
        assertThat(ByteSize.format(-5 * 1024 * 1024)).isEqualTo("-5 MiB");
        assertThat(ByteSize.format(3e12)).isEqualTo("2,794 GiB");
        assertThat(ByteSize.format(100_016)).isEqualTo("97.7 KiB");
        assertThat(ByteSize.format(-1_572_864)).isEqualTo("-1.5 MiB");
    }
}
