// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.ServletMain;
import io.heapsampler.HeapSampler;
import io.heapsampler.export.ExportFormat;
import jakarta.servlet.Servlet;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which modules each way to serve needs. */
class ModulesTest {

    private static String codeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toString();
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theServletNeedsNoServerOfTheJdk() throws Exception {
        String modules =
                Stream.of(
                                HeapSampler.class,
                                ExportFormat.class,
                                HeapSamplerServlet.class,
                                Servlet.class)
                        .map(ModulesTest::codeOf)
                        .collect(Collectors.joining(File.pathSeparator));
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        modules,
                        "--limit-modules",
                        "io.heapsampler.http,jakarta.servlet",
                        "--add-modules",
                        "io.heapsampler.http,jakarta.servlet",
                        "-cp",
                        codeOf(ServletMain.class),
                        ServletMain.class.getName());
        Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(jvm.waitFor()).as(output).isZero();
        assertThat(output.lines())
                .satisfiesExactly(
                        module -> assertThat(module).startsWith("module io.heapsampler.http"),
                        server -> assertThat(server).isEqualTo("Optional.empty"),
                        refusal ->
                                assertThat(refusal)
                                        .startsWith(
                                                "HeapSamplerServer needs the module jdk.httpserver,"
                                                        + " which this runtime lacks."));
    }
}
