// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.List;
import java.util.Set;

/** A known holder of one object, the target, and how the path to it must read. */
public abstract class Case {

    /** The only path of a target that nothing keeps alive. */
    public static final String ONLY_WEAK = "ONLY_WEAK";

    private static final int OLDEST = 17;

    /** Does what is better done before allocations are sampled. */
    public void prepare() throws Exception {}

    /** Makes the objects while each allocation is sampled; returns the target. */
    public abstract Object hold() throws Exception;

    /**
     * Returns the paths that are right, as {@link Path#toString} writes them; {@code ...} stands
     * for any steps.
     */
    public abstract List<String> paths();

    /** Returns whether an object of that class and size is the target. */
    public boolean isTarget(String className, long size) {
        return className.equals(getClass().getName() + "$Target");
    }

    /**
     * Returns why short passes may miss the target; as soon as they leave anything out, all targets
     * that they do not reach have such an outcome.
     */
    public Set<String> missedByPasses() {
        return Set.of();
    }

    /** Returns the thread that the root must name; 0 for none. */
    public long thread() {
        return 0;
    }

    /**
     * Returns the object that the root leads to if that is neither the target nor found by name;
     * else null.
     */
    public Object atRoot() {
        return null;
    }

    /** Returns the first Java version that has it. */
    public int since() {
        return OLDEST;
    }

    /**
     * Returns whether a forced collection may free the target: Shenandoah clears soft references
     * then.
     */
    public boolean mayBeCleared() {
        return false;
    }

    /** Gives back what the JVM would keep. */
    public void release() {}

    /** Returns whether nothing keeps the target alive. */
    final boolean isDoomed() {
        return paths().contains(ONLY_WEAK);
    }

    final String name() {
        return getClass().getSimpleName();
    }
}
