// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The permissions of a {@link GcDoctor}, and the objectives of the service.
 *
 * <pre>{@code
 * GcDoctor doctor =
 *         GcDoctor.start(
 *                 DoctorOptions.builder()
 *                         .pauseMax(Duration.ofMillis(80))
 *                         .throughputMin(0.999)
 *                         .build());
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. A {@link Builder} is not.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class DoctorOptions {

    /** The values of a builder. */
    record Options(
            Slo slo, boolean sampling, boolean closerLook, boolean jvmLog, boolean holders) {}

    final Options values;

    private DoctorOptions(Options values) {
        this.values = values;
    }

    /** {@return a new builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DoctorOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /** Collects options. Not safe for use by many threads at once. */
    public static final class Builder {

        private Slo slo = Slo.DEFAULT;
        private boolean sampling = true;
        private @Nullable Boolean closerLook;
        private boolean jvmLog = true;
        private boolean holders = true;

        private Builder() {}

        /**
         * Sets the longest pause that the service allows. Default: 200 ms.
         *
         * @param pause more than 0
         * @return this builder
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder pauseMax(Duration pause) {
            slo = new Slo(pause.toNanos() / 1e6, slo.throughputMin(), false);
            return this;
        }

        /**
         * Sets the minimum share of the time that is left to the application. Default: 0.99, which
         * leaves 600 ms of each minute to pauses.
         *
         * @param share from 0 to 1
         * @return this builder
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder throughputMin(double share) {
            slo = new Slo(slo.pauseMaxMillis(), share, false);
            return this;
        }

        /**
         * Sets whether the doctor may sample: start {@link io.heapsampler.HeapSampler} if it is not
         * running, until the doctor ends, and look closer. Without samples findings have no sites.
         * Default: true.
         *
         * @param allowed whether it may
         * @return this builder
         */
        public Builder sampling(boolean allowed) {
            this.sampling = allowed;
            return this;
        }

        /**
         * Sets whether the doctor may look closer while {@link io.heapsampler.HeapSampler} samples:
         * open a recording with a smaller interval for ten seconds, for a finding whose sites have
         * too few samples; up to 40 s for one about memory outside of the heap. It should take 2 %
         * of a processor, and ends early if it takes twice that. Until then, another strategy
         * cannot be started. Default: as {@link #sampling}.
         *
         * @param allowed whether it may, also without {@link #sampling}
         * @return this builder
         */
        public Builder closerLook(boolean allowed) {
            this.closerLook = allowed;
            return this;
        }

        /**
         * Allows the doctor to read the JVM's log while something looks wrong. The log has the
         * parts of pauses, stalls, failed evacuations and waits for critical sections. It goes to a
         * file in memory that is deleted as soon as it is open, and adds up to 0.3 ms to a pause.
         * It needs the platform MBean server, which the doctor does not create, and the module
         * jdk.jfr, without which the JVM does not offer the command. Default: true.
         *
         * @param allowed whether it may be read
         * @return this builder
         */
        public Builder jvmLog(boolean allowed) {
            this.jvmLog = allowed;
            return this;
        }

        /**
         * Allows the doctor to search which references hold the objects of {@code leak.growth},
         * {@code metaspace.leak} and {@code old.frequent} from {@link Severity#WARNING} on, once in
         * ten minutes for each, as {@link io.heapsampler.HeapSampler#heldBy} does. The finding then
         * opens a second time, with the holders as evidence. {@code leak.growth} waits for the
         * search, up to 20 s, and stays {@link Severity#INFO} if only soft references hold the
         * objects; without a search it warns about such a cache. A search stops the application,
         * with most collectors for 10 ms and 60 µs for each MB of the process, and takes some
         * seconds of a processor. The doctor does not search if that pause is longer than {@link
         * #pauseMax(Duration)}, and says so in a note. For 20 s at most, a search also takes native
         * memory: up to 1 GiB in a copy of the process, or 128 MiB in the process itself, 32 with
         * ZGC, and never more than 80 % of the memory that the system has left. Default: true.
         *
         * @param allowed whether it may search
         * @return this builder
         */
        public Builder holders(boolean allowed) {
            this.holders = allowed;
            return this;
        }

        /** {@return the options of this builder} */
        public DoctorOptions build() {
            boolean looks = closerLook == null ? sampling : closerLook;
            return new DoctorOptions(new Options(slo, sampling, looks, jvmLog, holders));
        }
    }
}
