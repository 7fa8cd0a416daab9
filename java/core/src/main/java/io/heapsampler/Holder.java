// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.holders.HolderTree;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A node in the tree of holders: a reference, or several that read alike, that keeps sampled
 * objects alive. A path begins at a {@linkplain #root() root} and ends at a {@linkplain #site()
 * site}, which stands for the held objects themselves.
 *
 * <pre>{@code
 * Holder first = held.holders().get(0);
 * System.out.println(first.text() + " holds " + first.held().bytes() + " bytes");
 * first.children().forEach(System.out::println);
 * }</pre>
 *
 * <p>A holder has names of classes, fields, methods and threads. It never has a value, an index or
 * an address. Immutable and safe for use by many threads. Holders are views that are created on
 * request; two are equal when they are the same node of the same answer.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class Holder {

    private final HeapSnapshot snapshot;
    private final HolderTree tree;
    private final boolean hasExclusive;
    private final int node;

    private Holder(HeapSnapshot snapshot, HolderTree tree, boolean hasExclusive, int node) {
        this.snapshot = snapshot;
        this.tree = tree;
        this.hasExclusive = hasExclusive;
        this.node = node;
    }

    static List<Holder> roots(HeapSnapshot snapshot, HolderTree tree, boolean hasExclusive) {
        return of(snapshot, tree, hasExclusive, 0);
    }

    private static List<Holder> of(
            HeapSnapshot snapshot, HolderTree tree, boolean hasExclusive, int parent) {
        return IntStream.of(tree.childrenOf(parent))
                .mapToObj(child -> new Holder(snapshot, tree, hasExclusive, child))
                .toList();
    }

    /** {@return the kind of root if a path begins here; empty within a path and for a site} */
    public Optional<HolderRoot> root() {
        return tree.isRoot(node) ? Optional.of(tree.root(node)) : Optional.empty();
    }

    /** {@return the allocation site of the held objects if a path ends here; else empty} */
    public Optional<HeapSite> site() {
        return tree.isSite(node)
                ? Optional.of(snapshot.sites().get(tree.site(node)))
                : Optional.empty();
    }

    /**
     * {@return this reference in words, on one line, such as {@code static field
     * com.acme.Shop.open}, {@code value in HashMap}, {@code thread-local of thread main}, or for a
     * site {@code byte[] allocated at com.acme.Shop.open(Shop.java:12)}} The text is for people and
     * may change; programs use {@link #steps()}.
     */
    public String text() {
        return site().map(Holder::siteText).orElseGet(() -> tree.text(node));
    }

    private static String siteText(HeapSite site) {
        List<HeapFrame> stack = site.stack();
        return stack.stream()
                .filter(frame -> LibraryCode.isOwn(frame.className()) && !frame.isImplementation())
                .findFirst()
                .or(() -> stack.stream().findFirst())
                .map(frame -> site.className() + " allocated at " + frame)
                .orElse(site.className());
    }

    /**
     * {@return the references that this node stands for, as the classes have them: class and field,
     * such as {@code java.util.HashMap.table}, and {@code […]} for an element of an array; of one
     * sample where samples differ; unmodifiable; empty for a site}
     */
    public List<String> steps() {
        return tree.steps(node);
    }

    /**
     * {@return the next references on the paths from here, and the sites of objects to which this
     * reference leads; most held bytes first; unmodifiable; empty for a site}
     */
    public List<Holder> children() {
        return of(snapshot, tree, hasExclusive, node);
    }

    /**
     * {@return the live bytes and objects that are reached through this reference, on the paths
     * that were found: an unbiased estimate, with its error} An object has one path, even if
     * several references lead to it. So the amounts of children, and of different holders, add up.
     */
    public HeapAmount held() {
        return tree.held(node);
    }

    /**
     * {@return the part of {@link #held()} that would be freed with the object to which this
     * reference leads: no path avoids that object; empty if that was not found out}
     */
    public Optional<HeapAmount> exclusive() {
        return hasExclusive ? Optional.of(tree.exclusive(node)) : Optional.empty();
    }

    /**
     * {@return whether this reference or one before it is soft: the JVM frees the objects before it
     * throws an OutOfMemoryError}
     */
    public boolean isSoft() {
        return tree.isSoft(node);
    }

    /**
     * {@return whether a look should begin here: the deepest field of the application that holds at
     * least 90 % of what its root holds; of those that lead to a collection or an array if there
     * are any} At most one holder beneath each root is a suspect.
     */
    public boolean isSuspect() {
        return tree.isSuspect(node);
    }

    /**
     * {@return the sites of the held objects, each with its part of {@link #held()}; most bytes
     * first; unmodifiable}
     */
    public Map<HeapSite, HeapAmount> sites() {
        Map<Integer, HeapAmount> sums = new HashMap<>();
        addSites(node, sums);
        Comparator<Map.Entry<Integer, HeapAmount>> order =
                Comparator.comparingDouble(each -> -each.getValue().bytes().value());
        Map<HeapSite, HeapAmount> sites = new LinkedHashMap<>();
        sums.entrySet().stream()
                .sorted(order.thenComparing(Map.Entry.comparingByKey()))
                .forEach(each -> sites.put(snapshot.sites().get(each.getKey()), each.getValue()));
        return Collections.unmodifiableMap(sites);
    }

    private void addSites(int each, Map<Integer, HeapAmount> sums) {
        if (tree.isSite(each)) {
            sums.merge(tree.site(each), tree.held(each), HeapAmount::plus);
        }
        for (int child : tree.childrenOf(each)) {
            addSites(child, sums);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Holder that && node == that.node && tree == that.tree;
    }

    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(tree) + node;
    }

    /** {@return the text and the held bytes, on one line} */
    @Override
    public String toString() {
        return text() + ": " + held().bytes();
    }
}
