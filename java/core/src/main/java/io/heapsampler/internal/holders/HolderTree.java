// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.HeapAmount;
import io.heapsampler.HolderRoot;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.Tally;
import io.heapsampler.internal.holders.PathFolder.Folded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The paths of all samples, merged from the roots on: links that read alike at the same place are
 * one node. Node 0 is above the roots; a leaf stands for a site, that of the held objects. Each
 * node has the sums over the samples whose paths run through it.
 *
 * <p>A sample that was one of m chosen at random from n was taken, kept and chosen with the product
 * of these chances, so it weighs n/m times as much as it does in its snapshot.
 *
 * <p>Immutable once built, and safe for use by many threads.
 */
public final class HolderTree {

    /** The share of the bytes of a root from which on a field is the suspect. */
    private static final double MOST = 0.9;

    private static final int NONE = -1;

    private final HeldPaths paths;
    private final SampleColumns samples;
    private final double chosen;

    // By node.
    private final int count;
    private final int[] parent;
    private final int[] link;
    private final BitSet isRepeated;
    private final BitSet isSuspect = new BitSet();

    /** Steps in the block that a node stands for, by its first sample. */
    private final int[] firstStep;

    private final int[] endStep;

    /** First child in {@link #children}, whose order is that in which they are shown. */
    private final int[] childStart;

    private final int[] children;
    private final Link[] links;
    private final Tally held;
    private final Tally exclusive;
    private final Tally unresolved = new Tally(HeldPaths.OUTCOMES);

    /** The leaf of each target; {@link #NONE} without a path. */
    private final int[] leaf;

    private HolderTree(Builder builder) {
        this.paths = builder.paths;
        this.samples = builder.samples;
        this.chosen = (double) paths.samples() / Math.max(1, paths.matching());
        this.count = builder.count;
        this.parent = Arrays.copyOf(builder.parent, count);
        this.link = Arrays.copyOf(builder.link, count);
        this.firstStep = Arrays.copyOf(builder.firstStep, count);
        this.endStep = Arrays.copyOf(builder.endStep, count);
        this.isRepeated = builder.isRepeated;
        this.links = builder.links.all().toArray(Link[]::new);
        this.leaf = builder.leaf;
        this.held = new Tally(count);
        this.exclusive = new Tally(count);
        addSamples(builder);
        this.childStart = new int[count + 1];
        this.children = order();
        for (int root : childrenOf(0)) {
            markSuspect(root);
        }
    }

    /** Merges the paths. */
    public static HolderTree of(SampleColumns samples, HeldPaths paths) {
        return new HolderTree(new Builder(samples, paths).merge());
    }

    // ---- Building ----

    private static final class Builder {

        private final HeldPaths paths;
        private final SampleColumns samples;
        private final Links links;
        private final NodeIndex nodes = new NodeIndex();
        private int count = 1;
        private int[] parent = {NONE};
        private int[] link = {NONE};
        private int[] firstStep = {0};
        private int[] endStep = {0};
        private final BitSet isRepeated = new BitSet();
        private final int[] leaf;

        /** By target and depth: whether the node there dominates the target. */
        private final BitSet dominates = new BitSet();

        private final int[] dominatesStart;

        Builder(SampleColumns samples, HeldPaths paths) {
            this.samples = samples;
            this.paths = paths;
            this.links = new Links(paths);
            this.leaf = new int[paths.place.length];
            this.dominatesStart = new int[paths.place.length];
        }

        Builder merge() {
            ThreadNames names = new ThreadNames(paths.threadNames(), paths.thread);
            PathFolder folder = new PathFolder(paths, names, links);
            int bits = 0;
            for (int target = 0; target < leaf.length; target++) {
                dominatesStart[target] = bits;
                leaf[target] = NONE;
                int place = paths.place[target];
                if (paths.outcome[target] == HeldPaths.HELD && !HeldDecoder.isWatched(place)) {
                    bits = add(target, folder.fold(target), bits);
                }
            }
            return this;
        }

        private int add(int target, List<Folded> path, int firstBit) {
            int node = 0;
            int bit = firstBit;
            for (Folded each : path) {
                node = child(node, each);
                isRepeated.set(node, isRepeated.get(node) || each.isRepeated);
                dominates.set(bit++, each.dominates);
            }
            int end = paths.start[target + 1];
            int site = links.number(Link.site(samples.site(paths.place[target])));
            leaf[target] = child(node, new Folded(site, end, end, true, false));
            return bit;
        }

        private int child(int node, Folded folded) {
            int child = nodes.child(node, folded.link, count);
            return child == count ? newNode(node, folded) : child;
        }

        private int newNode(int node, Folded folded) {
            if (count == parent.length) {
                int more = 2 * count + 16;
                parent = Arrays.copyOf(parent, more);
                link = Arrays.copyOf(link, more);
                firstStep = Arrays.copyOf(firstStep, more);
                endStep = Arrays.copyOf(endStep, more);
            }
            parent[count] = node;
            link[count] = folded.link;
            firstStep[count] = folded.from;
            endStep[count] = folded.to;
            return count++;
        }
    }

    private void addSamples(Builder builder) {
        for (int target = 0; target < leaf.length; target++) {
            int place = paths.place[target];
            if (HeldDecoder.isWatched(place)) {
                continue;
            }
            long size = samples.size(place);
            double chance = samples.chance(place) * chosen;
            if (leaf[target] == NONE) {
                unresolved.addSample(paths.outcome[target], size, chance);
                continue;
            }
            held.addSample(leaf[target], size, chance);
            exclusive.addSample(leaf[target], size, chance);
            int node = parent[leaf[target]];
            int bit = builder.dominatesStart[target] + depth(node) - 1;
            for (; node > 0; node = parent[node], bit--) {
                held.addSample(node, size, chance);
                if (builder.dominates.get(bit)) {
                    exclusive.addSample(node, size, chance);
                }
            }
        }
    }

    private int depth(int node) {
        int depth = 0;
        for (int each = node; each > 0; each = parent[each]) {
            depth++;
        }
        return depth;
    }

    /** Returns the nodes by parent, and there most bytes first, then by text. */
    private int[] order() {
        for (int node = 1; node < count; node++) {
            childStart[parent[node] + 1]++;
        }
        for (int i = 0; i < count; i++) {
            childStart[i + 1] += childStart[i];
        }
        int[] next = childStart.clone();
        Integer[] nodes = new Integer[count - 1];
        for (int node = 1; node < count; node++) {
            nodes[next[parent[node]]++] = node;
        }
        for (int i = 0; i < count; i++) {
            if (childStart[i + 1] - childStart[i] > 1) {
                Arrays.sort(nodes, childStart[i], childStart[i + 1], this::compare);
            }
        }
        return Arrays.stream(nodes).mapToInt(Integer::intValue).toArray();
    }

    private int compare(int one, int other) {
        int order = Double.compare(held.bytes(other), held.bytes(one));
        order = order != 0 ? order : linkOf(one).text().compareTo(linkOf(other).text());
        return order != 0 ? order : Integer.compare(one, other);
    }

    /**
     * Marks the deepest field of the reader's own code that holds most of what the root holds: of
     * those that lead to a collection or an array, which can grow, if there is one.
     */
    private void markSuspect(int root) {
        double most = MOST * held.bytes(root);
        int suspect = NONE;
        boolean isGrowing = false;
        for (int node = root; node != NONE; ) {
            int next = heaviestChild(node);
            boolean isHeavy = next != NONE && held.bytes(next) >= most;
            if (linkOf(node).isOwnField()) {
                boolean leadsInside = isHeavy && linkOf(next).isElement();
                suspect = leadsInside || !isGrowing ? node : suspect;
                isGrowing |= leadsInside;
            }
            node = isHeavy ? next : NONE;
        }
        if (suspect != NONE) {
            isSuspect.set(suspect);
        }
    }

    private int heaviestChild(int node) {
        return childStart[node] == childStart[node + 1] ? NONE : children[childStart[node]];
    }

    private Link linkOf(int node) {
        return links[link[node]];
    }

    // ---- Reading ----

    /** Returns the children of a node, most bytes first; those of node 0 are the roots. */
    public int[] childrenOf(int node) {
        return Arrays.copyOfRange(children, childStart[node], childStart[node + 1]);
    }

    /** Returns whether a node is a root. */
    public boolean isRoot(int node) {
        return parent[node] == 0 && !isSite(node);
    }

    /** Returns the kind of a root. */
    public HolderRoot root(int node) {
        return linkOf(node).root();
    }

    /** Returns whether a node stands for the held objects of a site. */
    public boolean isSite(int node) {
        return linkOf(node).site() != Link.NO_SITE;
    }

    /** Returns the number of that site. */
    public int site(int node) {
        return linkOf(node).site();
    }

    /** Returns how the reference reads; empty for a site. */
    public String text(int node) {
        String text = linkOf(node).text();
        return isRepeated.get(node) ? text + " (repeated)" : text;
    }

    /** Returns whether the reference is a soft one, or one above it is. */
    public boolean isSoft(int node) {
        for (int each = node; each > 0; each = parent[each]) {
            if (linkOf(each).isSoft()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the node is the suspect of its root. */
    public boolean isSuspect(int node) {
        return isSuspect.get(node);
    }

    /** Returns the references, as the classes have them, that one sample's path has here. */
    public List<String> steps(int node) {
        List<String> steps = new ArrayList<>();
        for (int i = firstStep[node]; i < endStep[node]; i++) {
            if (paths.kind[i] != HeldPaths.STEP_OF_ROOT) {
                steps.add(step(i));
            }
        }
        return List.copyOf(steps);
    }

    private String step(int i) {
        return switch (paths.kind[i]) {
            case HeldPaths.STEP_FIELD, HeldPaths.STEP_STATIC_FIELD ->
                    paths.names[paths.from[i]] + "." + paths.names[paths.field[i]];
            case HeldPaths.STEP_ELEMENT -> "[…]";
            default -> Links.link(paths, i).text();
        };
    }

    /** Returns the sum over the samples through a node. */
    public HeapAmount held(int node) {
        return held.amount(node);
    }

    /** Returns the sum over the samples that the object behind a node dominates. */
    public HeapAmount exclusive(int node) {
        return exclusive.amount(node);
    }

    /** Returns the sum over the samples without a path, by outcome. */
    public HeapAmount unresolved(int outcome) {
        return unresolved.amount(outcome);
    }
}
