// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open holds of this copy of the classes, and the report on out-of-memory that each has
 * requested. Immutable; nothing here calls the engine.
 *
 * <p>A report ends with the last hold of this copy that has requested it. While other copies hold
 * the sampler it stays: they may rely on the same file.
 *
 * @param files the open holds, each with the file that it has requested, or {@link #NO_FILE}
 * @param kept the file of the stopped application, which stays as long as its samples, or {@link
 *     #NO_FILE}
 */
record OomReports(Map<SamplerHold, String> files, String kept) {

    static final String NO_FILE = "";

    static final OomReports NONE = new OomReports(Map.of(), NO_FILE);

    /** Returns these with an open hold and its file. */
    OomReports with(SamplerHold hold, String file) {
        Map<SamplerHold, String> changed = new HashMap<>(files);
        changed.put(hold, file);
        return new OomReports(Map.copyOf(changed), kept);
    }

    /** Returns these after a hold was closed. The file of a hold that keeps its samples stays. */
    OomReports without(SamplerHold hold) {
        String file = fileOf(hold);
        Map<SamplerHold, String> changed = new HashMap<>(files);
        changed.remove(hold);
        boolean stays = hold.keepsSamples() && !file.equals(NO_FILE);
        return new OomReports(Map.copyOf(changed), stays ? file : kept);
    }

    /** Returns these after the kept report was ended. */
    OomReports withoutKept() {
        return new OomReports(files, NO_FILE);
    }

    /**
     * Returns whether this copy no longer needs the report in force once a hold is closed.
     *
     * @param inForce the file in force; null for none
     */
    boolean endWith(SamplerHold hold, @Nullable String inForce) {
        String file = fileOf(hold);
        OomReports left = without(hold);
        return file.equals(inForce) && !file.equals(left.kept) && !left.files.containsValue(file);
    }

    /** Returns whether all these holders are of this copy. */
    boolean coverAll(int holders) {
        return holders == files.size();
    }

    private String fileOf(SamplerHold hold) {
        return files.getOrDefault(hold, NO_FILE);
    }
}
