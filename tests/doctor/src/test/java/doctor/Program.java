// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/** What an application does all day: something faulty, or much the same in health. */
interface Program {

    /**
     * Does it.
     *
     * @param running asked again and again; false ends the work
     */
    void run(BooleanSupplier running) throws Exception;
}
