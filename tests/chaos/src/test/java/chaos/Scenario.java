// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

/** A kind of trouble that is made while the sampler runs. */
interface Scenario {

    /**
     * Makes the trouble; throws if the application did not get what it would without the sampler.
     *
     * @param amount how much: of what, each scenario says
     * @return further figures, as {@code name=value} with blanks between; may be empty
     */
    String run(long amount) throws Exception;

    /** Returns whether it finds the sampler running; else it starts and stops it by itself. */
    default boolean isSampled() {
        return true;
    }
}
