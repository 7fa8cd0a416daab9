// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.internal.NativeLibrary.Loaded;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds and loads the library: the file that {@value #PATH_PROPERTY} names, and then nothing else;
 * one that is linked already; one on {@code java.library.path}; the one in the jar.
 */
final class LibraryLoader {

    static final String PATH_PROPERTY = "heapsampler.library.path";

    /**
     * Tells JNI_OnLoad the class to which the natives belong, whose name differs when the jar was
     * relocated.
     */
    private static final String BINDINGS_PROPERTY = "heapsampler.bindings";

    /** Where the engine of this process is, see {@code jni_engine.h}. */
    private static final String ENGINE_PROPERTY = "heapsampler.engine";

    private final Function<String, @Nullable String> properties;
    private final Platform platform;
    private final String version;
    private final List<Throwable> attempts = new ArrayList<>();
    private String joinedEngine = "";

    LibraryLoader(
            Function<String, @Nullable String> properties, Platform platform, String version) {
        this.properties = properties;
        this.platform = platform;
        this.version = version;
    }

    /**
     * Loads the library.
     *
     * @throws HeapSamplingUnavailableException if it cannot be loaded; earlier attempts are among
     *     the suppressed
     */
    Loaded load() {
        try {
            return tryAll();
        } catch (HeapSamplingUnavailableException e) {
            attempts.forEach(e::addSuppressed);
            throw e;
        }
    }

    private Loaded tryAll() {
        requireSameEngine();
        String explicit = properties.apply(PATH_PROPERTY);
        if (explicit == null && isLinked()) {
            return checked("linked before");
        }
        try {
            return explicit != null ? loadExplicit(explicit) : loadByNameOrFromJar();
        } catch (HeapSamplingUnavailableException e) {
            // A library serves one class loader; a copy of it also leads to the running engine.
            if (e.reason() != Reason.OTHER_CLASS_LOADER || joinedEngine.isEmpty()) {
                throw e;
            }
            attempts.add(e);
            return loadFromJar();
        }
    }

    private Loaded loadByNameOrFromJar() {
        String name = "heapsampler-" + version;
        if (loadByName(name)) {
            return checked("java.library.path, " + System.mapLibraryName(name));
        }
        return loadFromJar();
    }

    /** Returns where an engine runs that came before us: ABI/version/address/file; null if none. */
    static @Nullable String runningEngine(Function<String, @Nullable String> properties) {
        return properties.apply(ENGINE_PROPERTY);
    }

    /**
     * A copy of the library that was loaded before us also samples for us, if it is of our version.
     */
    private void requireSameEngine() {
        String running = runningEngine(properties);
        if (running == null) {
            return;
        }
        String[] parts = running.split("/", 4);
        if (running.startsWith(NativeBindings.ABI + "/" + version + "/")) {
            joinedEngine = ", joined to the engine of " + (parts.length > 3 ? parts[3] : "?");
            return;
        }
        throw new HeapSamplingUnavailableException(
                Reason.VERSION_MISMATCH,
                "Another HeapSampler is in this JVM already, and there can be one engine only:"
                        + " version "
                        + (parts.length > 1 ? parts[1] : "unknown")
                        + " (ABI "
                        + parts[0]
                        + ") from "
                        + (parts.length > 3 ? parts[3] : "?")
                        + ", while these classes are version "
                        + version
                        + " (ABI "
                        + NativeBindings.ABI
                        + "). Use the same version for the agent and for each copy in the"
                        + " application.",
                null);
    }

    private Loaded loadExplicit(String explicit) {
        Path file;
        try {
            file = Path.of(explicit).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw LoadFailure.because(
                    e, "-D" + PATH_PROPERTY + "=" + explicit + " is not a path", "Name a file.");
        }
        if (!Files.isRegularFile(file)) {
            throw LoadFailure.because(
                    null,
                    "-D" + PATH_PROPERTY + " names " + file + ", which is not a file",
                    "Name the library itself, or leave the property away to use the one in the"
                            + " jar.");
        }
        load(file);
        return checked(file.toString());
    }

    private boolean loadByName(String name) {
        try {
            bind(() -> System.loadLibrary(name));
            return true;
        } catch (UnsatisfiedLinkError e) {
            if (LoadFailure.isOtherClassLoader(e)) {
                throw LoadFailure.of(e, System.mapLibraryName(name), platform);
            }
            attempts.add(e);
            return false;
        } catch (LinkageError | IllegalCallerException e) {
            throw LoadFailure.of(e, System.mapLibraryName(name), platform);
        }
    }

    private Loaded loadFromJar() {
        String file = "libheapsampler-" + version + ".so";
        String folder = platform.folder();
        String resource = "/META-INF/native/" + folder + "/" + file;
        if (folder == null || LibraryLoader.class.getResource(resource) == null) {
            throw new HeapSamplingUnavailableException(
                    Reason.UNSUPPORTED_PLATFORM,
                    "There is no HeapSampler library for "
                            + platform
                            + (folder == null ? "" : " (no resource " + resource + ")")
                            + ". Supported are Linux on x86_64 and aarch64; a library of your own"
                            + " can be named with -D"
                            + PATH_PROPERTY
                            + "=<file>.",
                    null);
        }
        new LibraryExtractor(properties).extract(resource, file, this::load);
        return checked("the jar, " + resource.substring(1));
    }

    private void load(Path file) {
        try {
            bind(() -> System.load(file.toString()));
        } catch (LinkageError | IllegalCallerException e) {
            throw LoadFailure.of(e, file.toString(), platform);
        }
    }

    /**
     * Loads while JNI_OnLoad can read for which class it does so. The lock is one for all copies of
     * this class in the JVM.
     */
    @SuppressWarnings(
            "LockOnNonEnclosingClassLiteral") // A lock that copies in other class loaders know too.
    private static void bind(Runnable loading) {
        synchronized (System.class) {
            System.setProperty(BINDINGS_PROPERTY, NativeBindings.class.getName());
            try {
                loading.run();
            } finally {
                System.clearProperty(BINDINGS_PROPERTY);
            }
        }
    }

    private static boolean isLinked() {
        try {
            NativeBindings.abi();
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false; // The usual case: nothing has been loaded yet.
        }
    }

    /** Compares the versions of the library and of these classes. */
    private Loaded checked(String origin) {
        try {
            return checked(origin, NativeBindings.abi(), NativeBindings.version());
        } catch (UnsatisfiedLinkError e) {
            throw LoadFailure.because(
                    e,
                    "The library from "
                            + origin
                            + " was loaded, but it is not HeapSampler's or it is bound to other"
                            + " classes",
                    "Check -D"
                            + PATH_PROPERTY
                            + " and java.library.path; see README, \"Loading\".");
        }
    }

    Loaded checked(String origin, int libraryAbi, String libraryVersion) {
        if (libraryAbi != NativeBindings.ABI || !libraryVersion.equals(version)) {
            throw new HeapSamplingUnavailableException(
                    Reason.VERSION_MISMATCH,
                    "The HeapSampler library from "
                            + origin
                            + " is version "
                            + libraryVersion
                            + " (ABI "
                            + libraryAbi
                            + "), but the classes are version "
                            + version
                            + " (ABI "
                            + NativeBindings.ABI
                            + "). Remove the stale library, or use the jar of the same version, and"
                            + " restart.",
                    null);
        }
        return new Loaded(libraryVersion, origin + joinedEngine);
    }
}
