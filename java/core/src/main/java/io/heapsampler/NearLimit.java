// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.shared.ReportFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request for a report near a memory limit: from which share on, and in which file. Immutable.
 */
final class NearLimit {

    /** The name of the option, for messages. */
    static final String OPTION = "reportNearLimit";

    private final double share;
    private final Path path;
    private final ReportFile file;

    /**
     * Makes a request.
     *
     * @param share of the limit, above 0 and below 1
     * @param path an absolute one
     * @throws IllegalArgumentException if the share is out of range
     */
    NearLimit(double share, Path path) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException(
                    OPTION
                            + " must be a share of the memory limit above 0 and below 1, as in 0.9"
                            + " for 90 %, but is "
                            + share);
        }
        this.share = share;
        this.path = path;
        this.file = ReportFile.of(path);
    }

    double share() {
        return share;
    }

    Path path() {
        return path;
    }

    /** Refuses a file that the report on out-of-memory is to be written to; null for none. */
    void requireOtherThan(@Nullable ReportFile reportOnOom) {
        if (file.equals(reportOnOom)) {
            throw new IllegalArgumentException(
                    OPTION
                            + " and reportOnOom both name "
                            + path
                            + ", where one would replace the other. Name two files.");
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NearLimit that && share == that.share && file.equals(that.file);
    }

    @Override
    public int hashCode() {
        return 31 * Double.hashCode(share) + file.hashCode();
    }

    @Override
    public String toString() {
        return OPTION + "=" + share + " in " + path;
    }
}
