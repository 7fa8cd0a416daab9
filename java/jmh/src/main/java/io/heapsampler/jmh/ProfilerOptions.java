// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.ByteSize;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.ProfilerException;

/**
 * The options of {@link HeapSamplerProfiler}, as JMH passes them: {@code name=value}, separated by
 * semicolons. Immutable.
 */
final class ProfilerOptions {

    /** The interval if it is chosen from the allocation rate of the warm-up. */
    static final long AUTO = -1;

    private static final String NAMES = "interval, sites, depth, html, pprof, help";

    private static final String HELP =
            """
            Options of io.heapsampler.jmh.HeapSamplerProfiler, separated by semicolons:
              interval=<bytes>  Mean bytes between two samples of a thread, such as 65536, 64k or 1m.
                                0 records every allocation and makes the benchmark much slower.
                                Default: chosen from the last warm-up iteration.
              sites=<number>    Sites in the table, 1 to 1000. Default: 10.
              depth=<number>    Frames of each site, 1 to 100; one of them is outside the JDK. Sites
                                with the same class and the same frames are added up. Default: 5.
              html=<folder>     Writes a report of each fork into this folder.
              pprof=<folder>    Writes a pprof profile of each fork into this folder.
              help              Shows these options.
            """;

    private long interval = AUTO;
    private int sites = 10;
    private int depth = 5;
    private @Nullable Path html;
    private @Nullable Path pprof;

    private ProfilerOptions() {}

    static ProfilerOptions defaults() {
        return new ProfilerOptions();
    }

    /**
     * Reads the options.
     *
     * @throws ProfilerException if there is no such option or its value is invalid, or with the
     *     list of options if help was requested
     */
    static ProfilerOptions parse(String initLine) throws ProfilerException {
        ProfilerOptions options = new ProfilerOptions();
        for (String option : initLine.split(";", -1)) {
            if (!option.isBlank()) {
                int equals = option.indexOf('=');
                String name = equals < 0 ? option : option.substring(0, equals);
                options.set(name.strip(), equals < 0 ? "" : option.substring(equals + 1).strip());
            }
        }
        return options;
    }

    private void set(String name, String value) throws ProfilerException {
        switch (name) {
            case "interval" -> interval = bytes(value);
            case "sites" -> sites = number(name, value, 1000);
            case "depth" -> depth = number(name, value, 100);
            case "html" -> html = folder(name, value);
            case "pprof" -> pprof = folder(name, value);
            case "help" -> throw new ProfilerException(HELP);
            default ->
                    throw new ProfilerException(
                            "HeapSamplerProfiler has no option \""
                                    + name
                                    + "\". Its options are "
                                    + NAMES
                                    + ".");
        }
    }

    private static long bytes(String value) throws ProfilerException {
        try {
            boolean isShort = value.matches("[\\d.]+[kKmM]?");
            long bytes = ByteSize.parse(isShort ? value + "B" : value);
            if (bytes <= Integer.MAX_VALUE) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // refused below
        }
        throw refused("interval", value, "bytes from 0 to 2147483647, such as 65536, 64k or 1m");
    }

    private static int number(String name, String value, int greatest) throws ProfilerException {
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw refused(name, value, "a number from 1 to " + greatest);
    }

    private static Path folder(String name, String value) throws ProfilerException {
        try {
            Path folder = Path.of(value);
            if (!value.isEmpty() && (Files.isDirectory(folder) || Files.notExists(folder))) {
                return folder;
            }
        } catch (InvalidPathException e) {
            // refused below
        }
        throw refused(name, value, "a folder, which need not exist");
    }

    private static ProfilerException refused(String name, String value, String allowed) {
        return new ProfilerException(
                "The option " + name + " is \"" + value + "\", but must be " + allowed + ".");
    }

    /** Returns the mean bytes between two samples of a thread, or {@link #AUTO}. */
    long interval() {
        return interval;
    }

    /** Returns the number of sites in the table. */
    int sites() {
        return sites;
    }

    /** Returns the number of frames of a site. */
    int depth() {
        return depth;
    }

    /** Returns the folder for reports; null for none. */
    @Nullable Path html() {
        return html;
    }

    /** Returns the folder for pprof profiles; null for none. */
    @Nullable Path pprof() {
        return pprof;
    }
}
