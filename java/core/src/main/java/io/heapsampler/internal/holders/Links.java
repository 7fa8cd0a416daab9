// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.internal.holders.KnownHolders.Meaning;
import io.heapsampler.internal.holders.KnownHolders.Row;
import io.heapsampler.internal.holders.Link.Form;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The different links of an answer, each with a number, so that paths compare numbers. Paths have
 * hundreds of thousands of steps, of which few differ: each different step is looked up once. For
 * one thread.
 */
final class Links {

    /**
     * What is known of a step.
     *
     * @param row of the table; null if it has none
     * @param link the number of the link if there is no row
     */
    record Known(@Nullable Row row, int link) {}

    private final HeldPaths paths;
    private final Map<Link, Integer> numbers = new HashMap<>();
    private final List<Link> all = new ArrayList<>();
    private final Map<Long, Known> steps = new HashMap<>();

    Links(HeldPaths paths) {
        this.paths = paths;
    }

    int number(Link link) {
        Integer known = numbers.putIfAbsent(link, all.size());
        if (known == null) {
            all.add(link);
            return all.size() - 1;
        }
        return known;
    }

    /** Returns the links by their numbers. */
    List<Link> all() {
        return all;
    }

    /** Looks up a step. */
    Known of(int i) {
        int kind = 2 * paths.kind[i] + ((paths.flags[i] & HeldPaths.SOFT) != 0 ? 1 : 0);
        long field = (long) paths.from[i] * paths.names.length + paths.field[i];
        long key = field * 2 * HeldPaths.STEP_KINDS + kind;
        Known known = steps.get(key);
        if (known == null) {
            Row row =
                    paths.kind[i] == HeldPaths.STEP_FIELD
                            ? KnownHolders.of(
                                    paths.names[paths.from[i]], paths.names[paths.field[i]])
                            : null;
            known = new Known(row, row == null ? number(link(paths, i)) : -1);
            steps.put(key, known);
        }
        return known;
    }

    /** Words take the place of the name; the form stays, since it may be a root. */
    static Link staticField(String owner, String name, boolean soft) {
        Row row = KnownHolders.of(owner, name);
        return row != null && row.meaning() == Meaning.WORDS
                ? Link.of(Form.STATIC_FIELD, "", row.words(), soft)
                : Link.of(Form.STATIC_FIELD, owner, name, soft);
    }

    /** Returns the link of a step that no row describes. */
    static Link link(HeldPaths paths, int i) {
        String from = paths.names[paths.from[i]];
        String field = paths.names[paths.field[i]];
        boolean soft = (paths.flags[i] & HeldPaths.SOFT) != 0;
        int kind = paths.kind[i];
        if (kind == HeldPaths.STEP_STATIC_FIELD) {
            return staticField(from, field, soft);
        }
        if (kind != HeldPaths.STEP_FIELD) {
            return Link.of(form(kind), from, "", soft);
        }
        String around = ClassNames.aroundLambda(from);
        if (around != null) {
            return Link.of(Form.CAPTURED_BY_LAMBDA, around, "", soft);
        }
        if (field.startsWith("this$")) {
            return Link.of(Form.OUTER, from, "", soft);
        }
        return field.startsWith("val$")
                ? Link.of(Form.CAPTURED_VARIABLE, from, field.substring(4), soft)
                : Link.of(Form.FIELD, from, field, soft);
    }

    private static Form form(int kind) {
        return switch (kind) {
            case HeldPaths.STEP_ELEMENT -> Form.ELEMENT;
            case 4 -> Form.CLASS;
            case 5 -> Form.CLASS_LOADER;
            case 6 -> Form.SIGNERS;
            case 7 -> Form.PROTECTION_DOMAIN;
            case 8 -> Form.INTERFACE;
            case 9 -> Form.SUPERCLASS;
            case 10 -> Form.CONSTANT_POOL;
            default -> Form.OTHER;
        };
    }
}
