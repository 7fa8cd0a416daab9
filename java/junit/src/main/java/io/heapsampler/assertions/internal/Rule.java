// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** One assertion about the allocations of some code. Immutable. */
public interface Rule {

    /** The assertion as its author wrote it, such as {@code @MaxAllocation("1 MB")}. */
    String name();

    /** Which allocations it is about. */
    Scope scope();

    /** The maximum of runs that it needs; several only if its author requested repetition. */
    Repeats repeats();

    /**
     * Begins to check some code.
     *
     * @param settings of all assertions of the test
     * @return a trial without a run yet; to be closed
     */
    Trial start(Settings settings);

    /** The order of trials that observe the same run, from the outermost to the innermost. */
    enum Layer {
        /** Collects between runs, and takes its time. */
        SURVIVORS,
        /** Records. */
        SAMPLES,
        /** Counts the bytes of threads: only the code may lie inside. */
        COUNT
    }

    /**
     * One check of a rule: observes runs of the code, one by one, and judges them. The runs may be
     * on one instance of a test or on a fresh one each; the trial does not know. Used by one
     * thread.
     */
    interface Trial extends AutoCloseable {

        Layer layer();

        /** Can it observe a run that another trial of this kind observes as well? */
        default boolean isSociable() {
            return true;
        }

        /**
         * Observes one run.
         *
         * @param subject what to run, once
         * @throws NotMeasuredException if this run cannot be observed; it may not have begun
         * @throws Throwable an exception of the code
         */
        void run(Subject subject) throws Throwable;

        /** Does it need a further run to judge? */
        boolean needsMore();

        /**
         * Is it time to wait for the JVM's compilers before the next run? Not while another trial
         * observes this one, which would see the wait.
         */
        default boolean wantsCompilersToRest() {
            return false;
        }

        /** Would its message say more if it knew the figure of a second run? */
        default boolean wantsAdvice() {
            return false;
        }

        /**
         * Observes one run that is not judged, only to find out what repetition would show.
         *
         * @param subject what to run, once
         * @throws Throwable an exception of the code
         */
        default void advise(Subject subject) throws Throwable {
            subject.run();
        }

        /**
         * Finds out what the message of a failure says about objects that a further run may free.
         * To be called when no run is needed any more, before any other run and before {@link
         * #verdict}; does nothing where there is no failure.
         */
        default void explain() {}

        /**
         * Judges the runs so far.
         *
         * @param name the name of the code in messages
         * @return the verdict; never thrown
         * @throws NotMeasuredException if there is none
         */
        Verdict verdict(String name) throws NotMeasuredException;

        /** Closes its recordings. */
        @Override
        void close();
    }
}
