// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The library of this process: loaded once, by an explicit call. A failure is remembered unless it
 * is transient, see {@link LibraryState}.
 */
public final class NativeLibrary {

    /** Outside of any package, so that other modules can read it as well. */
    private static final String VERSION_FILE = "/META-INF/heapsampler/core.properties";

    private static final LibraryState STATE = new LibraryState(NativeLibrary::load);

    private NativeLibrary() {}

    /**
     * A library that is in use.
     *
     * @param version what the library says
     * @param origin where it came from
     */
    public record Loaded(String version, String origin) {}

    /** Returns the library; null if it has not been loaded. */
    public static @Nullable Loaded loaded() {
        return STATE.loaded();
    }

    /**
     * Returns the library, and loads it for that if an agent or a copy of these classes runs the
     * engine already; null if none does, or if it cannot be loaded.
     */
    static @Nullable Loaded joined() {
        if (loaded() == null && LibraryLoader.runningEngine(System::getProperty) != null) {
            try {
                ensureLoaded();
            } catch (HeapSamplingUnavailableException e) {
                Log.debug("cannot join the engine that runs", e);
            }
        }
        return loaded();
    }

    /**
     * Loads the library, if that has not been done.
     *
     * @throws HeapSamplingUnavailableException if it cannot be loaded
     */
    public static void ensureLoaded() {
        STATE.ensureLoaded();
    }

    private static Loaded load() {
        if (!VmInfo.isHotSpot()) {
            throw new HeapSamplingUnavailableException(
                    Reason.NOT_HOTSPOT,
                    "Heap sampling needs HotSpot, but this VM is "
                            + VmInfo.name()
                            + ". Run the application on an OpenJDK build of 17 or later.",
                    null);
        }
        return new LibraryLoader(System::getProperty, Platform.current(), version()).load();
    }

    /** Returns the version of these classes. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream stream = NativeLibrary.class.getResourceAsStream(VERSION_FILE)) {
            if (stream != null) {
                properties.load(stream);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + VERSION_FILE, e);
        }
        return properties.getProperty("version", "unknown");
    }
}
