// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
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

    /** Names of 64 random bits are never taken by chance. */
    private static final int MOST_TRIES = 100;

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
            return createFresh(Path.of(base));
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            throw LoadFailure.because(
                    e,
                    "No private folder for the library could be made in " + base + " (" + e + ")",
                    LoadFailure.OTHER_FOLDER);
        }
    }

    /**
     * Creates a folder, which fails where something has its name. So the name need not be a secret,
     * as that of {@link Files#createTempDirectory} is, which loads a hundred classes for it.
     */
    private static Path createFresh(Path base) throws IOException {
        for (int tries = MOST_TRIES; ; tries--) {
            long random = ThreadLocalRandom.current().nextLong();
            try {
                Path folder = base.resolve("heapsampler-" + Long.toUnsignedString(random));
                return Files.createDirectory(folder, OWNER_ONLY);
            } catch (FileAlreadyExistsException e) {
                if (tries == 0) {
                    throw e;
                }
            }
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
