// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.profile.ProfilerException;

class ProfilerOptionsTest {

    @TempDir Path folder;

    @Test
    void unsetOptionsHaveDefaults() throws Exception {
        ProfilerOptions options = ProfilerOptions.parse("");

        assertThat(options.interval()).isEqualTo(ProfilerOptions.AUTO);
        assertThat(options.sites()).isEqualTo(10);
        assertThat(options.depth()).isEqualTo(5);
        assertThat(options.html()).isNull();
        assertThat(options.pprof()).isNull();
    }

    @Test
    void setOptionsAreRead() throws Exception {
        ProfilerOptions options =
                ProfilerOptions.parse("sites=5; depth = 3 ;html=" + folder + ";pprof=not/there");

        assertThat(options.sites()).isEqualTo(5);
        assertThat(options.depth()).isEqualTo(3);
        assertThat(options.html()).isEqualTo(folder);
        assertThat(options.pprof()).isEqualTo(Path.of("not/there"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "65536, 65536", "64k, 65536", "1.5M, 1572864", "64 KiB, 65536"})
    void intervalsAreRead(String written, long bytes) throws Exception {
        assertThat(ProfilerOptions.parse("interval=" + written).interval()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "sites=0,      'The option sites is \"0\", but must be a number from 1 to 1000.'",
        "sites,        'The option sites is \"\", but must be a number from 1 to 1000.'",
        "depth=101,    'The option depth is \"101\", but must be a number from 1 to 100.'",
        "interval=-1,  'The option interval is \"-1\", but must be bytes from 0 to 2147483647, such"
                + " as 65536, 64k or 1m.'",
        "interval=2 GB,'The option interval is \"2 GB\", but must be bytes from 0 to 2147483647,"
                + " such as 65536, 64k or 1m.'",
        "html=,        'The option html is \"\", but must be a folder, which need not exist.'",
        "site=5,       'HeapSamplerProfiler has no option \"site\". Its options are interval,"
                + " sites, depth, html, pprof, help.'",
    })
    void invalidOptionsAreRefused(String options, String message) {
        assertThatExceptionOfType(ProfilerException.class)
                .isThrownBy(() -> new HeapSamplerProfiler(options))
                .withMessage(message);
    }

    @Test
    void fileInPlaceOfAFolderIsRefused() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatExceptionOfType(ProfilerException.class)
                .isThrownBy(() -> ProfilerOptions.parse("pprof=" + file))
                .withMessageContaining("The option pprof is \"" + file + "\"");
    }

    @Test
    void helpListsTheOptions() {
        assertThatExceptionOfType(ProfilerException.class)
                .isThrownBy(() -> ProfilerOptions.parse("help"))
                .withMessageContainingAll("interval=", "sites=", "depth=", "html=", "pprof=");
    }
}
