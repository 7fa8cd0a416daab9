// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A library meets the Java classes of another version. */
class VersionTest {

    @TempDir static Path objects;

    @TempDir Path folder;

    @BeforeAll
    static void compile() throws Exception {
        Gcc.compileUnversioned(objects);
    }

    private Path library(String version) throws Exception {
        return Gcc.link(folder, objects, Gcc.bindings(), version);
    }

    private ForkedJvm jvm(Path library) {
        return new ForkedJvm(folder).property("heapsampler.library.path", library);
    }

    @Test
    void otherVersion() throws Exception {
        Path library = library("9.9.9");
        Outcome outcome = jvm(library).probe("supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.VERSION_MISMATCH))
                .matches(mismatch(library, "9\\.9\\.9", "(\\d+)", "\\1"));
    }

    @Test
    void otherVersionUnderTheRightName() throws Exception {
        Path library = library("9.9.9");
        Files.move(library, folder.resolve(Core.libraryName()));
        Outcome outcome =
                new ForkedJvm(folder).property("java.library.path", folder).probe("sample");
        assertThat(outcome.assertRefused(Reason.VERSION_MISMATCH))
                .matches(
                        mismatch(
                                "java.library.path, " + Core.libraryName(),
                                "9\\.9\\.9",
                                "(\\d+)",
                                "\\1"));
    }

    @Test
    void otherAbi() throws Exception {
        String source =
                """
                #include <jni.h>
                static jint JNICALL abi(JNIEnv *jni, jclass c) { return 7777; }
                static jstring JNICALL version(JNIEnv *jni, jclass c) {
                    return (*jni)->NewStringUTF(jni, HS_VERSION);
                }
                JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
                    JNIEnv *jni;
                    (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8);
                    JNINativeMethod natives[] = {
                        {"abi", "()I", abi},
                        {"version", "()Ljava/lang/String;", version},
                    };
                    jclass c = (*jni)->FindClass(jni, "io/heapsampler/internal/NativeBindings");
                    (*jni)->RegisterNatives(jni, c, natives, 2);
                    return JNI_VERSION_1_8;
                }
                """;
        Path library = Gcc.compile(folder, source, "-DHS_VERSION=\"" + Core.version() + "\"");
        Outcome outcome = jvm(library).probe("sample");
        assertThat(outcome.assertRefused(Reason.VERSION_MISMATCH))
                .matches(mismatch(library, quote(Core.version()), "7777", "\\d+"));
    }

    /** A library from before a native method changed cannot even be bound to these classes. */
    @Test
    void otherNativeMethods() throws Exception {
        String changed =
                Files.readString(Gcc.bindings())
                        .replace("\"primed\", \"()I\"", "\"primed\", \"()J\"");
        assertThat(changed).contains("\"primed\", \"()J\"");
        Path bindings = Files.writeString(folder.resolve("changed.c"), changed);
        Path library = Gcc.link(folder, objects, bindings, "0.0.1");
        Outcome outcome = jvm(library).probe("supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.exitCode()).as("%s", outcome).isEqualTo(Probe.REFUSED);
        assertThat(outcome.value("reason")).isIn("VERSION_MISMATCH", "LIBRARY_NOT_LOADED");
        assertThat(outcome.value("message")).contains(library.toString(), "same version");
    }

    private static String mismatch(Object origin, String version, String abi, String ownAbi)
            throws IOException {
        return "The HeapSampler library from "
                + quote(origin)
                + " is version "
                + version
                + " \\(ABI "
                + abi
                + "\\), but the classes are version "
                + quote(Core.version())
                + " \\(ABI "
                + ownAbi
                + "\\)\\. Remove the stale library, or use the jar of the same version, and"
                + " restart\\.";
    }

    private static String quote(Object text) {
        return Pattern.quote(text.toString());
    }
}
