// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.spring.Client;
import io.heapsampler.spring.EndpointContract;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Developers run classes, and devtools restarts the application in a new class loader. */
class DevtoolsTest {

    private static final int RESTARTS = 2;
    private static final String BOOT = "4.0.7";

    @TempDir private Path folder;

    /** Spring keeps loaders as well, so a run without HeapSampler is the control. */
    @Test
    void restartsLeaveOneEngineAndNoMoreLoadersThanWithout() throws Exception {
        unpack();
        int without = loadersAfterRestarts(false);

        assertThat(without).isPositive();
        assertThat(loadersAfterRestarts(true)).isLessThanOrEqualTo(without);
    }

    private int loadersAfterRestarts(boolean isSampled) throws Exception {
        List<String> arguments =
                List.of(
                        "-cp",
                        folder.resolve("classes") + File.pathSeparator + folder.resolve("lib/*"),
                        "com.acme.shop.ShopApplication",
                        "--shop.security=off",
                        "--spring.devtools.restart.poll-interval=500ms",
                        "--spring.devtools.restart.quiet-period=200ms",
                        "--heapsampler.enabled=" + isSampled,
                        "--heapsampler.doctor.enabled=true",
                        "--management.endpoints.web.exposure.include=heapsampler");
        try (Application application = new Application(arguments)) {
            int port = application.port();
            for (int i = 0; i < RESTARTS; i++) {
                use(port, isSampled);
                Files.writeString(folder.resolve("classes/changed"), isSampled + " " + i);
                port = application.port();
            }
            use(port, isSampled);
            return restartLoaders(application.pid());
        }
    }

    private static void use(int port, boolean isSampled) throws Exception {
        Client client = new Client("http://localhost:" + port, "/actuator/heapsampler", false);
        assertThat(client.getElsewhere("/goods/1").statusCode()).isEqualTo(200);
        if (isSampled) {
            EndpointContract.canBeRead(client);
            assertThat(client.get("").body()).contains("\"holders\":[\"application\",\"doctor\"]");
        }
    }

    /** Returns how many class loaders of restarts are alive after a full collection. */
    private static int restartLoaders(long pid) throws Exception {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process =
                new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                        .start();
        try (InputStream out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.trim().endsWith(".RestartClassLoader"))
                    .mapToInt(line -> Integer.parseInt(line.trim().split("\\s+")[1]))
                    .sum();
        }
    }

    /** The classes of the application into one folder, the libraries into another. */
    private void unpack() throws IOException {
        try (ZipFile jar = new ZipFile(Application.target(BOOT, "shop.jar"));
                Stream<? extends ZipEntry> entries = jar.stream()) {
            for (ZipEntry entry : (Iterable<ZipEntry>) entries.<ZipEntry>map(e -> e)::iterator) {
                String name = entry.getName();
                if (!entry.isDirectory() && name.startsWith("BOOT-INF/classes/")) {
                    copy(jar, entry, "classes/" + name.substring("BOOT-INF/classes/".length()));
                } else if (name.endsWith(".jar")) {
                    copy(jar, entry, name.substring("BOOT-INF/".length()));
                }
            }
        }
    }

    private void copy(ZipFile jar, ZipEntry entry, String to) throws IOException {
        Path target = folder.resolve(to);
        Files.createDirectories(target.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, target);
        }
    }
}
