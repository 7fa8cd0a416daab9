// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Copies the library out of the jar, into a fresh folder that only the owner may enter, and removes
 * both as soon as it is loaded. The folder has a new name each time and the file is created
 * exclusively, so no other user can plant another one.
 */
final class LibraryExtractor {

    static final String FOLDER_PROPERTY = "heapsampler.tmpdir";
    static final String KEEP_PROPERTY = "heapsampler.keepLibrary";

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Function<String, @Nullable String> properties;

    LibraryExtractor(Function<String, @Nullable String> properties) {
        this.properties = properties;
    }

    /**
     * Extracts a resource, hands the file to the loading, and removes it.
     *
     * @param resource absolute name of the resource
     * @param name name of the file
     * @param loading what to do with the file
     */
    void extract(String resource, String name, Consumer<Path> loading) {
        Path folder = createFolder();
        Path file = folder.resolve(name);
        try {
            copy(resource, file);
            loading.accept(file);
        } catch (IOException e) {
            throw LoadFailure.because(
                    e,
                    "The library could not be written to " + file + " (" + e + ")",
                    LoadFailure.OTHER_FOLDER);
        } finally {
            if (!Boolean.parseBoolean(properties.apply(KEEP_PROPERTY))) {
                remove(file);
                remove(folder);
            }
        }
    }

    private Path createFolder() {
        String own = properties.apply(FOLDER_PROPERTY);
        String base = own != null ? own : String.valueOf(properties.apply("java.io.tmpdir"));
        try {
            return Files.createTempDirectory(Path.of(base), "heapsampler-", OWNER_ONLY);
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            throw LoadFailure.because(
                    e,
                    "No private folder for the library could be made in " + base + " (" + e + ")",
                    LoadFailure.OTHER_FOLDER);
        }
    }

    private static void copy(String resource, Path file) throws IOException {
        Set<StandardOpenOption> exclusively =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (InputStream source = LibraryExtractor.class.getResourceAsStream(resource)) {
            if (source == null) {
                throw new FileNotFoundException(resource);
            }
            Files.newByteChannel(file, exclusively, OWNER_ONLY).close();
            // No channel: it would be closed in a thread that is interrupted.
            try (OutputStream target = new FileOutputStream(file.toFile())) {
                source.transferTo(target);
            }
        }
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            Log.debug("cannot remove " + path, e);
        }
    }
}
