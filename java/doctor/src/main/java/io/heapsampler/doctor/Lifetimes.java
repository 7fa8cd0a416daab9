// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.text.Text;
import java.util.List;

/**
 * How long objects live, by samples: where to draw the line between young and old. By time, by
 * bytes allocated meanwhile, and by collections.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param sites those that allocate most, most first
 * @param shortMillis the time after which most short-lived objects are dead; −1 if there are not
 *     two kinds of objects
 * @param longMillis the time that the long-lived objects live at least; −1 if there are not two
 *     kinds
 * @param shortShare the share of bytes of the short-lived objects, from 0 to 1
 * @param boundaryBytes the bytes allocated within the geometric mean of these times: the young
 *     generation has to hold more than that; −1 if it is not known
 * @param boundaryCollections how many collections take place in that time; −1 if it is not known
 */
public record Lifetimes(
        List<SiteLifetime> sites,
        long shortMillis,
        long longMillis,
        double shortShare,
        double boundaryBytes,
        double boundaryCollections) {

    /**
     * Copies the list.
     *
     * @param sites those that allocate most
     * @param shortMillis the end of the first kind
     * @param longMillis the beginning of the second
     * @param shortShare the share of the first
     * @param boundaryBytes the boundary in bytes
     * @param boundaryCollections the boundary in collections
     */
    public Lifetimes {
        sites = List.copyOf(sites);
    }

    /**
     * Returns whether there are short-lived and long-lived objects, and few in between.
     *
     * @return true if there is a boundary
     */
    public boolean hasBoundary() {
        return shortMillis >= 0;
    }

    /**
     * Returns the age at which to draw the line.
     *
     * @return milliseconds, the geometric mean of the two ages; −1 if there is no boundary
     */
    public double boundaryMillis() {
        return hasBoundary()
                ? Math.sqrt((double) Math.max(shortMillis, 1) * Math.max(longMillis, 1))
                : -1;
    }

    /**
     * Returns the boundary as a sentence.
     *
     * @return empty if there is no boundary
     */
    public String text() {
        if (!hasBoundary()) {
            return "";
        }
        String bytes =
                boundaryBytes < 0
                        ? ""
                        : ", in which about " + Text.bytes(boundaryBytes) + " are allocated";
        String collections =
                boundaryCollections < 0
                        ? ""
                        : " and " + Text.number(boundaryCollections) + " collections take place";
        return Text.share(shortShare)
                + " of the allocated bytes are dead after "
                + Text.millis((double) shortMillis)
                + ", the rest live "
                + Text.millis((double) longMillis)
                + " or longer: the boundary between young and old is at about "
                + Text.millis(boundaryMillis())
                + bytes
                + collections
                + ".";
    }
}
