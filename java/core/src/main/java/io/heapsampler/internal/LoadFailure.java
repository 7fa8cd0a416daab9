// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says why the library could not be loaded, and what helps. Judges by the texts of the JVM and of
 * the loaders of glibc and musl.
 */
final class LoadFailure {

    static final String OTHER_FOLDER =
            "Name a folder that can be written and from which programs may run with -D"
                    + LibraryExtractor.FOLDER_PROPERTY
                    + "=<folder>, or unpack the library from the jar and name it with -D"
                    + LibraryLoader.PATH_PROPERTY
                    + "=<file>.";

    private static final String OWN_FILE =
            "Use a HeapSampler jar that supports this platform, or name a library built for it with"
                    + " -D"
                    + LibraryLoader.PATH_PROPERTY
                    + "=<file>.";

    private static final String NO_MEMORY = "Cannot allocate memory";

    /** A cause, the texts by which it shows itself, and what helps. */
    private record Symptom(List<String> texts, String meaning, String remedy) {}

    // Order matters: a text about the platform may also say that the file cannot be opened.
    private static final List<Symptom> SYMPTOMS =
            List.of(
                    new Symptom(
                            List.of(
                                    "wrong ELF class",
                                    "Possible cause: can't load",
                                    "Exec format",
                                    "Possible cause: architecture"),
                            "it is built for another processor than this JVM",
                            OWN_FILE),
                    new Symptom(
                            List.of(
                                    "failed to map segment",
                                    "Operation not permitted",
                                    "Permission denied"),
                            "the system does not let programs run from there (mounted noexec, or"
                                    + " denied by a security policy)",
                            OTHER_FOLDER),
                    new Symptom(
                            List.of(
                                    "undefined symbol",
                                    "symbol not found",
                                    "version `GLIBC",
                                    "Error relocating",
                                    "Error loading shared library"),
                            "the C library of this system lacks what it needs",
                            OWN_FILE),
                    new Symptom(
                            List.of(
                                    "invalid ELF header",
                                    "file too short",
                                    "Not a valid dynamic program"),
                            "it is no library, or damaged",
                            "Replace it by the one from the jar."),
                    new Symptom(
                            List.of("the engine could not be opened"),
                            "the JVM did not give it what it needs to begin",
                            "Give the process more memory, look for other agents, and restart."),
                    new Symptom(
                            List.of("unsupported JNI version"),
                            "it refused this JVM when it was loaded",
                            "Use HotSpot 17 or later, and a library of the same version as the"
                                    + " jar."),
                    new Symptom(
                            List.of("cannot open shared object file"),
                            "it is missing or cannot be read",
                            "Check the path and its permissions."));

    private LoadFailure() {}

    /** Returns whether a copy of HeapSampler in another class loader has loaded the same file. */
    static boolean isOtherClassLoader(Throwable error) {
        return text(error).contains("already loaded in another classloader");
    }

    /** Returns a failure of another kind. */
    static HeapSamplingUnavailableException because(
            @Nullable Throwable cause, String what, String remedy) {
        return new HeapSamplingUnavailableException(
                Reason.LIBRARY_NOT_LOADED, what + ". " + remedy, cause);
    }

    /** Returns what an error thrown while a file was being loaded means. */
    static HeapSamplingUnavailableException of(Throwable error, String file, Platform platform) {
        if (error instanceof IllegalCallerException) {
            return new HeapSamplingUnavailableException(
                    Reason.NATIVE_ACCESS_DENIED, accessDenied(file), error);
        }
        if (isOtherClassLoader(error)) {
            return new HeapSamplingUnavailableException(
                    Reason.OTHER_CLASS_LOADER,
                    file
                            + " is already loaded by a copy of HeapSampler in another class loader,"
                            + " and a JVM can be sampled by one only. Use that copy, for instance"
                            + " by putting HeapSampler where both class loaders find the same"
                            + " classes.",
                    error);
        }
        if (error instanceof NoSuchMethodError) {
            return new HeapSamplingUnavailableException(
                    Reason.VERSION_MISMATCH,
                    file
                            + " has other native methods than these classes ("
                            + text(error)
                            + "). Use a library and a jar of the same version, and restart.",
                    error);
        }
        String text = text(error);
        for (Symptom symptom : SYMPTOMS) {
            if (symptom.texts.stream().anyMatch(text::contains)) {
                return because(
                        error,
                        file
                                + " cannot be loaded on "
                                + platform
                                + ": "
                                + symptom.meaning
                                + " ("
                                + text
                                + ")",
                        symptom.remedy);
            }
        }
        return because(error, file + " cannot be loaded on " + platform + ": " + text, OWN_FILE);
    }

    private static String accessDenied(String file) {
        Module module = LoadFailure.class.getModule();
        return file
                + " cannot be loaded: the JVM denies native access to "
                + (module.isNamed() ? "module " + module.getName() : "the class path")
                + " (JEP 472). Start it with --enable-native-access="
                + (module.isNamed() ? module.getName() : "ALL-UNNAMED")
                + (module.isNamed()
                        ? "."
                        : ", or put \"Enable-Native-Access: ALL-UNNAMED\" into the manifest of the"
                                + " executable jar.");
    }

    /**
     * Returns whether another attempt may succeed in the same process: a file could not be written,
     * or memory ran out.
     */
    static boolean isTransient(HeapSamplingUnavailableException failure) {
        Throwable cause = failure.getCause();
        return failure.reason() == Reason.LIBRARY_NOT_LOADED
                && (cause instanceof IOException
                        || (cause != null && text(cause).contains(NO_MEMORY)));
    }

    private static String text(Throwable error) {
        return String.valueOf(error.getMessage());
    }
}
