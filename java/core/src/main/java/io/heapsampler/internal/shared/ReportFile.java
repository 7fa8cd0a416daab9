// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The file of a report that is written when memory is short or out. It is checked when sampling
 * starts, so that a wrong path is known before memory runs out. The library checks again when it
 * writes. Immutable; names of the same file are equal, however they spell its folder.
 */
public final class ReportFile {

    private final byte[] name;
    private final String text;
    private final Path normal;

    private ReportFile(byte[] name, String text) {
        this.name = name;
        this.text = text;
        this.normal = Path.of(text).normalize();
    }

    /** Returns the file of an absolute path. */
    public static ReportFile of(Path file) {
        String text = file.toString();
        return new ReportFile(text.getBytes(fileNames()), text);
    }

    /**
     * Returns the file of a name. An agent can name one that the locale of this JVM cannot spell.
     *
     * @param name as the system spells it
     */
    public static ReportFile named(byte[] name) {
        return new ReportFile(name, text(name, fileNames()));
    }

    /** Returns the charset in which the system spells names of files. */
    private static Charset fileNames() {
        String name = System.getProperty("sun.jnu.encoding");
        return name != null && Charset.isSupported(name)
                ? Charset.forName(name)
                : Charset.defaultCharset();
    }

    /** Returns the name as the system spells it. */
    public byte[] name() {
        return name.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ReportFile that && normal.equals(that.normal);
    }

    @Override
    public int hashCode() {
        return normal.hashCode();
    }

    /** Returns the name as text; bytes that the locale cannot spell are in hexadecimal. */
    @Override
    public String toString() {
        return text;
    }

    /**
     * Refuses a path at which no report could be written at this moment.
     *
     * @param option that names it
     * @return the same path
     * @throws IllegalArgumentException if none could be written; the message says why
     */
    public static Path check(String option, Path file) {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IllegalArgumentException(
                    option
                            + " names "
                            + file
                            + ", whose folder does not exist. Make it first, since nothing can be"
                            + " made when memory has run out.");
        }
        String why = whyNot(file, folder);
        if (why != null) {
            throw refused(option, file, why);
        }
        return file;
    }

    /**
     * Refuses a path at which no report could be put in the place of another at this moment, which
     * takes a temp file beside it.
     *
     * @param option that names it
     * @throws IllegalArgumentException as {@link #check}
     */
    public static void checkReplaceable(String option, Path file) {
        Path folder = check(option, file).getParent();
        if (folder != null && !Files.isWritable(folder)) {
            throw refused(option, file, "this process may not write to its folder");
        }
    }

    private static IllegalArgumentException refused(String option, Path file, String why) {
        return new IllegalArgumentException(
                option
                        + " names "
                        + file
                        + ", where no report can be written: "
                        + why
                        + ". Name a file of this user's own, in a folder that others cannot write"
                        + " to.");
    }

    /**
     * Returns the name of a file as text. Where the charset cannot spell the name, each byte that
     * is not ASCII is written in hexadecimal, such as {@code \xf6}.
     *
     * @param name as the system spells it
     * @param fileNames the charset for names of files
     */
    static String text(byte[] name, Charset fileNames) {
        String text = new String(name, fileNames);
        if (Arrays.equals(text.getBytes(fileNames), name)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder();
        for (byte b : name) {
            escaped.append(b < 0 ? String.format("\\x%02x", b) : String.valueOf((char) b));
        }
        return escaped.toString();
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

    /** Neither this user's nor root's, as the library requires. */
    private static boolean isAnothers(Path file) {
        Object owner = attribute(file, "unix:uid");
        return owner != null
                && !owner.equals(0)
                && !owner.equals(attribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static boolean hasOtherNames(Path file) {
        Object names = attribute(file, "unix:nlink");
        return names != null && !names.equals(1);
    }

    /** Null if the file system has none, or the file has gone: the library will look again. */
    private static @Nullable Object attribute(Path file, String name) {
        try {
            boolean isUnix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
            return isUnix ? Files.getAttribute(file, name) : null;
        } catch (IOException e) {
            return null;
        }
    }
}
