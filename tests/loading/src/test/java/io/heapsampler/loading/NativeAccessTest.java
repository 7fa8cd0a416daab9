// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JEP 472 (JDK 24): permission to load libraries; and the ways to start an application. */
class NativeAccessTest {

    private static final String DENY = "--illegal-native-access=deny";

    @TempDir Path folder;

    private static void assumeJep472() {
        assumeTrue(ForkedJvm.knowsDeny(), "this JVM lets all code load libraries");
    }

    /** Core on the module path, the application on the class path. */
    private ForkedJvm modular() {
        return new ForkedJvm(folder)
                .classPath(Core.testClasses())
                .flags("-p", Core.path().toString(), "--add-modules", "io.heapsampler");
    }

    @Test
    void deniedToTheClassPath() {
        assumeJep472();
        Outcome outcome = new ForkedJvm(folder).access(DENY).probe("supported", "sample", "left");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.NATIVE_ACCESS_DENIED))
                .endsWith(
                        " cannot be loaded: the JVM denies native access to the class path (JEP"
                                + " 472). Start it with --enable-native-access=ALL-UNNAMED, or put"
                                + " \"Enable-Native-Access: ALL-UNNAMED\" into the manifest of the"
                                + " executable jar.");
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    @Test
    void deniedToTheModule() {
        assumeJep472();
        Outcome outcome = modular().access(DENY).probe("supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.NATIVE_ACCESS_DENIED))
                .endsWith(
                        " cannot be loaded: the JVM denies native access to module io.heapsampler"
                                + " (JEP 472). Start it with"
                                + " --enable-native-access=io.heapsampler.");
    }

    @Test
    void deniedWithAnExplicitPath() throws IOException {
        assumeJep472();
        Path library = Core.libraryIn(folder.resolve("library"));
        Outcome outcome =
                new ForkedJvm(folder)
                        .access(DENY)
                        .property("heapsampler.library.path", library)
                        .probe("sample");
        assertThat(outcome.assertRefused(Reason.NATIVE_ACCESS_DENIED))
                .startsWith(library + " cannot be loaded: the JVM denies native access to ");
    }

    @Test
    void classPathWithoutFlags() {
        new ForkedJvm(folder).access().probe("sample").assertSampled();
    }

    @Test
    void classPathWithTheFlag() {
        assumeJep472();
        assertQuiet(
                new ForkedJvm(folder)
                        .access(DENY, "--enable-native-access=ALL-UNNAMED")
                        .probe("sample"));
    }

    @Test
    void modulePath() {
        assertQuiet(
                ForkedJvm.knowsDeny()
                        ? modular()
                                .access(DENY, "--enable-native-access=io.heapsampler")
                                .probe("sample")
                        : modular().probe("sample"));
    }

    @Test
    void executableJar() throws IOException {
        Path jar = Jars.executable(folder.resolve("application.jar"), Probe.class, "ALL-UNNAMED");
        ForkedJvm jvm = new ForkedJvm(folder);
        assertQuiet(
                ForkedJvm.knowsDeny()
                        ? jvm.access(DENY).jar(jar, "sample")
                        : jvm.jar(jar, "sample"));
    }

    private static void assertQuiet(Outcome outcome) {
        outcome.assertSampled();
        assertThat(outcome.output()).doesNotContainIgnoringCase("warning");
    }
}
