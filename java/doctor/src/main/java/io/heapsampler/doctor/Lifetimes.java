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
 * @param shortMillis most objects of the one kind are dead after so long; −1 if there are not two
 *     kinds
 * @param longMillis those of the other kind live so long or longer; −1 as well
 * @param shortShare the share of bytes that is of the first kind, from 0 to 1
 * @param boundaryBytes what is allocated in the time between the two, at its geometric mean: the
 *     young generation has to hold more than that; −1 if it is not known
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
     * Says whether there are objects that die soon and others that live on, and few in between.
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
     * Says it in a sentence.
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
                + " of what is allocated is dead after "
                + Text.millis((double) shortMillis)
                + ", the rest lives "
                + Text.millis((double) longMillis)
                + " or longer: the boundary between young and old is at about "
                + Text.millis(boundaryMillis())
                + bytes
                + collections
                + ".";
    }
}
