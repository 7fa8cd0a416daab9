// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rows of a snapshot block: its entries in SITES. A site is a stack and a class, and has a row
 * for each set of labels under which it was sampled. In a block without labels each row is a site
 * of its own. Immutable.
 */
public final class SiteRows {

    private final LabelSet[] sets;

    /** Index into {@link #sets} of each row. */
    private final int[] setOfRow;

    private final int[] siteOfRow;

    /** The rows by site, and where in them each site begins; empty without labels. */
    private final int[] rowsBySite;

    private final int[] starts;

    private SiteRows(LabelSet[] sets, int[] setOfRow, int[] siteOfRow, int[] by, int[] starts) {
        this.sets = sets;
        this.setOfRow = setOfRow;
        this.siteOfRow = siteOfRow;
        this.rowsBySite = by;
        this.starts = starts;
    }

    /** Returns the rows of a block without labels. */
    static SiteRows unlabelled(int count) {
        int[] each = IntStream.range(0, count).toArray();
        int[] starts = IntStream.rangeClosed(0, count).toArray();
        return new SiteRows(new LabelSet[] {LabelSet.NONE}, new int[count], each, each, starts);
    }

    /**
     * Returns rows with labels.
     *
     * @param setOfRow index into the sets
     * @param siteOfRow the site of each row
     */
    static SiteRows of(LabelSet[] sets, int[] setOfRow, int[] siteOfRow, int sites) {
        int[] starts = new int[sites + 1];
        for (int site : siteOfRow) {
            starts[site + 1]++;
        }
        for (int i = 0; i < sites; i++) {
            starts[i + 1] += starts[i];
        }
        int[] next = starts.clone();
        int[] order = new int[siteOfRow.length];
        for (int row = 0; row < siteOfRow.length; row++) {
            order[next[siteOfRow[row]]++] = row;
        }
        return new SiteRows(sets, setOfRow, siteOfRow, order, starts);
    }

    /** The number of rows. */
    public int count() {
        return siteOfRow.length;
    }

    /** The sets of all rows, each once. */
    public Stream<LabelSet> sets() {
        return Arrays.stream(setOfRow).distinct().mapToObj(set -> sets[set]);
    }

    /** The labels of a row. */
    public LabelSet labels(int row) {
        return sets[setOfRow[row]];
    }

    /** The number of the set of a row in LABELS; 0 in a block without labels. */
    int set(int row) {
        return setOfRow[row];
    }

    /** All rows. */
    public int[] all() {
        return IntStream.range(0, count()).toArray();
    }

    /** The rows of a site, in ascending order. */
    public int[] ofSite(int site) {
        return Arrays.copyOfRange(rowsBySite, starts[site], starts[site + 1]);
    }

    /** The site that a row belongs to. */
    public int site(int row) {
        return siteOfRow[row];
    }

    int[] siteOfRow() {
        return siteOfRow;
    }
}
