// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a report on out-of-memory is to be written. The library looks again when it writes, and has
 * the last word; but then it is late to hear that there is no folder.
 */
public final class ReportFile {

    private ReportFile() {}

    /**
     * Refuses a path at which no report could be written as things are.
     *
     * @throws IllegalArgumentException if it is so
     */
    public static Path check(Path file) {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IllegalArgumentException(
                    "reportOnOom names "
                            + file
                            + ", whose folder does not exist. Make it first, since nothing can be"
                            + " made when memory has run out.");
        }
        String why = whyNot(file, folder);
        if (why != null) {
            throw new IllegalArgumentException(
                    "reportOnOom names "
                            + file
                            + ", where no report can be written: "
                            + why
                            + ". Name a file of this user's own, in a folder that others cannot"
                            + " write to.");
        }
        return file;
    }

    private static @Nullable String whyNot(Path file, Path folder) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Files.isWritable(folder) ? null : "this process may not write to its folder";
        }
        if (Files.isSymbolicLink(file)) {
            return "it is a symbolic link";
        }
        if (!Files.isRegularFile(file)) {
            return "it is no regular file";
        }
        if (hasOtherNames(file)) {
            return "it has another name, too (a hard link)";
        }
        if (isAnothers(file)) {
            return "it belongs to another user";
        }
        return Files.isWritable(file) ? null : "this process may not write it";
    }

    /** Neither this user's nor root's, as the library asks for. */
    private static boolean isAnothers(Path file) {
        try {
            if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
                return false;
            }
            Object owner = Files.getAttribute(file, "unix:uid");
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return !owner.equals(0) && !owner.equals(self);
        } catch (IOException e) {
            return false; // The library will say so.
        }
    }

    private static boolean hasOtherNames(Path file) {
        try {
            return file.getFileSystem().supportedFileAttributeViews().contains("unix")
                    && !Integer.valueOf(1).equals(Files.getAttribute(file, "unix:nlink"));
        } catch (IOException e) {
            return false; // It may be gone, and then it has none.
        }
    }
}
