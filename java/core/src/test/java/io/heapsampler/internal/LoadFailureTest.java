// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadFailureTest {

    private static final Platform LINUX = new Platform("Linux", "amd64");
    private static final String FILE = "/tmp/x/libheapsampler.so";

    private static HeapSamplingUnavailableException of(Throwable error) {
        return LoadFailure.of(error, FILE, LINUX);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    failed to map segment from shared object       | noexec         | -Dheapsampler.tmpdir=
                    wrong ELF class: ELFCLASS32                    | another processor | -Dheapsampler.library.path=
                    cannot open shared object file: No such file (Possible cause: can't load AARCH64 .so on a AMD64 platform) | another processor | -Dheapsampler.library.path=
                    undefined symbol: gnu_get_libc_version         | C library      | -Dheapsampler.library.path=
                    version `GLIBC_2.38' not found                 | C library      | -Dheapsampler.library.path=
                    Error relocating /x: __vsnprintf_chk: symbol not found | C library | -Dheapsampler.library.path=
                    invalid ELF header                             | damaged        | the one from the jar
                    unsupported JNI version 0xFFFFFFFF required by | refused this JVM | HotSpot 17
                    the engine could not be opened: no native memory is left | did not give it | restart
                    cannot open shared object file: No such file   | missing        | Check the path
                    something else                                 | something else | -Dheapsampler.library.path=
                    """)
    void namesFileReasonAndRemedy(String text, String reason, String remedy) {
        HeapSamplingUnavailableException e = of(new UnsatisfiedLinkError(text));

        assertThat(e.reason()).isEqualTo(Reason.LIBRARY_NOT_LOADED);
        assertThat(e).hasMessageContainingAll(FILE, "Linux on amd64", reason, remedy, text);
    }

    @Test
    void namesTheOtherClassLoader() {
        HeapSamplingUnavailableException e =
                of(
                        new UnsatisfiedLinkError(
                                "Native Library "
                                        + FILE
                                        + " already loaded in another classloader"));

        assertThat(e.reason()).isEqualTo(Reason.OTHER_CLASS_LOADER);
        assertThat(e)
                .hasMessageContainingAll(
                        FILE,
                        "already loaded by a copy of HeapSampler in another class loader",
                        "Use that copy");
    }

    @Test
    void namesTheFlagThatAllowsNativeAccess() {
        HeapSamplingUnavailableException e =
                of(new IllegalCallerException("Illegal native access from: module io.heapsampler"));

        assertThat(e.reason()).isEqualTo(Reason.NATIVE_ACCESS_DENIED);
        assertThat(e).hasMessageContainingAll(FILE, "JEP 472", "--enable-native-access=");
    }
}
