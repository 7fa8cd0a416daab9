// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;

/**
 * What the measured code allocated in the calling thread, from samples. Those of the thread are
 * summed up with the harness's, those of sites with other threads', in which other assertions may
 * run. So it is at most the lesser of both sums; where nothing else is measured, the sites tell it
 * exactly.
 *
 * @param bytes the most that it can be, but for the error of the estimate
 * @param unsure how much of that may be the harness's: 0, or 1 byte and more
 * @param isCut whether that is because of stacks that are cut
 */
record OwnThread(Estimate bytes, double unsure, boolean isCut) {

    static final String REASON =
            "other assertions, or stacks that are cut, hide how much the harness itself allocated";

    /** Exact bytes. */
    static OwnThread counted(double bytes) {
        return new OwnThread(Estimate.of(bytes, 0, bytes, 0), 0, false);
    }

    /** What would make it more certain. */
    String help() {
        return isCut ? CutStacks.HELP : InheritedMeasure.ALONE;
    }

    /**
     * Tells it apart.
     *
     * @param thread all that was seen of the thread
     */
    static OwnThread of(HeapSnapshot snapshot, Estimate thread) {
        Estimate code = Estimate.of(0, 0, 0, 0);
        Estimate harness = code;
        boolean isCut = false;
        for (HeapSite site : snapshot.sites()) {
            Estimate bytes = site.allocated().bytes();
            if (Frames.ofCode(site.stack()) == null) {
                harness = harness.plus(bytes);
            } else if (Frames.isCut(site)) {
                isCut = true;
            } else if (Frames.isCalled(site)) {
                code = code.plus(bytes);
            }
        }
        double least = Math.max(0, thread.value() - harness.value());
        boolean isTold = !isCut && code.value() <= thread.value() && code.value() > least - 1;
        Estimate most = isTold ? code : thread;
        double unsure = most.value() - least;
        return new OwnThread(most, unsure < 1 ? 0 : unsure, isCut); // less is rounding
    }
}
