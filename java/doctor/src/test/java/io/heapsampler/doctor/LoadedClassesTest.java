// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the doctor loads stays for as long as the JVM runs, and lets metaspace grow by two thirds
 * more before it is collected. So it stays away from parts of the JDK that come with many classes.
 */
class LoadedClassesTest {

    private static final Pattern LOADED = Pattern.compile("\\] (\\S+) source: ");

    private static List<String> loadedByTheDoctor() throws Exception {
        Process jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xint", // A compiler loads the classes in signatures.
                                "-Xmx64m",
                                "-XX:+UseSerialGC",
                                "-Xlog:class+load:stdout",
                                "-cp",
                                System.getProperty("java.class.path"),
                                WatchedMain.class.getName())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jvm.waitFor()).as(output).isZero();
        int begin = output.indexOf(WatchedMain.BEGIN);
        List<String> names = new ArrayList<>();
        LOADED.matcher(output.substring(begin, output.indexOf(WatchedMain.DONE)))
                .results()
                .forEach(each -> names.add(each.group(1)));
        return names;
    }

    @Test
    void largePartsOfTheJdkAreNotLoaded() throws Exception {
        assertThat(loadedByTheDoctor())
                .contains("io.heapsampler.doctor.Situation")
                .doesNotContain(
                        "java.security.SecureRandom",
                        "java.lang.runtime.ObjectMethods",
                        "java.lang.ProcessHandleImpl",
                        "java.util.concurrent.ThreadPoolExecutor",
                        "java.text.DecimalFormatSymbols",
                        "java.math.MathContext",
                        "java.util.DualPivotQuicksort",
                        "sun.nio.fs.UnixDirectoryStream");
    }
}
