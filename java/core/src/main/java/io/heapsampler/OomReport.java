// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.ReportFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The report on out-of-memory: which holds have asked for it, and when it ends. It ends with the
 * last hold of this copy of the classes that has asked for it. While other copies hold the sampler,
 * it stays: they may rely on the same file.
 *
 * <p>Guarded by the lock of the sampler.
 */
final class OomReport {

    private static final String NONE = "";

    private final Engine engine;

    /** The open holds of this copy, each with the file that it has asked for. */
    private final Map<SamplerHold, String> asked = new HashMap<>();

    /** The file of the stopped application: it stays as long as its samples. */
    private String kept = NONE;

    OomReport(Engine engine) {
        this.engine = engine;
    }

    /**
     * Sets the report file before sampling starts, and restores the old one if the start fails.
     *
     * @param file the file that the hold asks for; null for none
     * @param before the file set already; null for none
     */
    void during(SamplerHold hold, @Nullable Path file, @Nullable String before, Runnable start) {
        if (file == null) {
            start.run();
            return;
        }
        String name = file.toString();
        if (name.equals(before)) {
            start.run();
        } else {
            set(file, before, start);
        }
        asked.replace(hold, name);
    }

    private void set(Path file, @Nullable String before, Runnable start) {
        IntConsumer undo = handle -> engine.reportOnOom(before == null ? null : Path.of(before));
        ReportFile.check(file); // its folder may have gone since the options were made
        engine.reportOnOom(file);
        try {
            start.run();
        } catch (RuntimeException | Error e) {
            Endings.afterFailure(e, undo, 0);
            throw e;
        }
    }

    void opened(SamplerHold hold) {
        asked.put(hold, NONE);
    }

    /**
     * Forgets a hold.
     *
     * @param before the file set before the hold was closed; null for none
     * @return whether the hold has asked for this file, and nothing else of this copy needs it
     */
    boolean closed(SamplerHold hold, @Nullable String before) {
        String file = Objects.requireNonNullElse(asked.remove(hold), NONE);
        if (hold.keepsSamples() && !file.equals(NONE)) {
            kept = file;
        }
        return file.equals(before) && !file.equals(kept) && !asked.containsValue(file);
    }

    /** Says whether all these holders are of this copy. */
    boolean knows(int holders) {
        return holders == asked.size();
    }

    /** Ends the report, unless another copy has set another file meanwhile. */
    void forget(@Nullable String file) {
        if (file != null && file.equals(engine.reportFile())) {
            engine.reportOnOom(null);
        }
        kept = NONE;
    }
}
