// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How one object is held, as the block reports it.
 *
 * @param className of the object
 * @param size of it, in bytes
 * @param owner of the root: the class of a static field or of a method; empty if there is none
 * @param name of that field or method
 * @param thread Java's id; 0 for none
 */
record Path(
        String className,
        long size,
        Outcome outcome,
        Root root,
        String owner,
        String name,
        long thread,
        List<Step> steps) {

    /** As the block numbers them. */
    enum Outcome {
        HELD,
        PAUSE,
        TIME,
        MEMORY,
        LARGE_ARRAY,
        DIED,
        ONLY_WEAK,
        NOT_POSSIBLE
    }

    /** As the block numbers them. */
    enum Root {
        NONE,
        STATIC,
        THREAD,
        LOCAL,
        JNI_LOCAL,
        JNI_GLOBAL,
        SYSTEM_CLASS,
        MONITOR,
        OTHER,
        FINALIZER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Returns whether it reads as one of those that are right. */
    boolean isOneOf(Collection<String> texts) {
        return texts.stream().anyMatch(text -> pattern(text).matcher(toString()).matches());
    }

    /** Returns what paths of several objects have in common. */
    Object way() {
        return List.of(root, owner, name, thread, steps);
    }

    /** Three dots stand for any steps. */
    private static Pattern pattern(String text) {
        return Pattern.compile(
                Pattern.quote(text)
                        .replace(" > ... > ", "\\E( > .*)? > \\Q")
                        .replace(": ... > ", "\\E: (.* > )?\\Q"));
    }

    @Override
    public String toString() {
        if (outcome != Outcome.HELD) {
            return outcome.toString();
        }
        String of = owner.isEmpty() ? "" : " " + Names.shortOf(owner) + "." + name;
        return steps.stream()
                .map(step -> step == steps.get(0) ? first(step) : step.toString())
                .collect(Collectors.joining(" > ", root + of + ": ", ""));
    }

    /** Without the name of the field, which is the root's. */
    private static String first(Step step) {
        return new Step(Step.Kind.ROOT, step.flags(), "", "", step.to()).toString();
    }
}
