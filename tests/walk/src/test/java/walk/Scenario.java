// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

/** Work whose allocations are sampled, cut into rounds of well under a second. */
interface Scenario {

    /** Does the next piece of the work. */
    void round() throws Exception;
}
