// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.internal.holders.KnownHolders.Meaning;
import io.heapsampler.internal.holders.KnownHolders.Row;
import io.heapsampler.internal.holders.Link.Form;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folds the steps of one path: the inside of a collection of the JDK is one link, such as {@code
 * value in HashMap}, and so are runs of links that repeat, as in a linked list or a tree. For one
 * thread; {@link #fold} begins anew.
 */
final class PathFolder {

    /** Links that repeat as a group, at most. */
    private static final int LONGEST_PERIOD = 4;

    private static final Form[] FORMS = Form.values();
    private static final String THREAD_LOCALS = "threadLocals";
    private static final String INHERITED = "inheritableThreadLocals";

    /**
     * A folded link, by its number in the {@link Links}, and the steps that it stands for: from the
     * first to before the last.
     */
    static final class Folded {

        final int link;
        final int from;
        final int to;
        boolean dominates;
        boolean isRepeated;

        Folded(int link, int from, int to, boolean dominates, boolean isRepeated) {
            this.link = link;
            this.from = from;
            this.to = to;
            this.dominates = dominates;
            this.isRepeated = isRepeated;
        }
    }

    private final HeldPaths paths;
    private final ThreadNames threads;
    private final Links links;
    private final List<Folded> folded = new ArrayList<>();

    /** The collection inside which the path is; null outside. */
    private @Nullable String collection;

    private int openedAt;
    private boolean isSet;
    private boolean isWrapper;
    private boolean isSoft;

    /** What the elements of the array are to which the last step led; null for others. */
    private @Nullable Meaning array;

    PathFolder(HeldPaths paths, ThreadNames threads, Links links) {
        this.paths = paths;
        this.threads = threads;
        this.links = links;
    }

    /** Folds the path of a held target. The list is valid until the next call. */
    List<Folded> fold(int target) {
        folded.clear();
        close();
        int first = paths.start[target];
        int end = paths.start[target + 1];
        for (int i = foldRoot(target, first, end); i < end; i++) {
            foldStep(i, objectOf(i, first));
            if ((paths.flags[i] & HeldPaths.CUT) != 0) {
                leaveCollection(i + 1);
                emit(Link.of(Form.GAP, "", "", false), i + 1, i + 1);
            }
        }
        leaveCollection(end);
        return folded;
    }

    /** The class of the object that refers; empty where it is not known. */
    private String objectOf(int i, int first) {
        boolean isKnown = i > first && (paths.flags[i - 1] & HeldPaths.CUT) == 0;
        return isKnown ? text(paths.to[i - 1]) : "";
    }

    private String text(int name) {
        return paths.names[name];
    }

    // ---- The root ----

    /** Adds the root; returns the step after it. */
    private int foldRoot(int target, int first, int end) {
        int kind = paths.root[target];
        String thread = threads.of(paths.thread[target]);
        boolean isClass = (paths.flags[first] & HeldPaths.TO_CLASS) != 0;
        String type = (isClass ? "class " : "") + text(paths.to[first]);
        if (kind == HeldPaths.ROOT_STATIC_FIELD) {
            String owner = text(paths.rootClass[target]);
            String name = text(paths.rootName[target]);
            emit(Links.staticField(owner, name, softIn(first, first + 1)), first, first + 1);
            return first + 1;
        }
        if (kind == HeldPaths.ROOT_THREAD) {
            int after = afterThreadLocal(first, end);
            boolean isLocal = after > first + 1;
            Form form = isLocal ? Form.THREAD_LOCAL : Form.THREAD;
            String owner = isLocal ? "" : type;
            emit(new Link(form, owner, "", thread, softIn(first, after), -1), first, after);
            return after;
        }
        Form form = kind == 0 ? Form.OTHER_ROOT : FORMS[kind - 1];
        boolean isLocal = kind == HeldPaths.ROOT_LOCAL;
        String owner = isLocal ? text(paths.rootClass[target]) : type;
        String name = isLocal ? text(paths.rootName[target]) : "";
        emit(new Link(form, owner, name, thread, softIn(first, first + 1), -1), first, first + 1);
        return first + 1;
    }

    /**
     * Returns the step after the value of a thread-local; the one after the thread if there is
     * none.
     */
    private int afterThreadLocal(int first, int end) {
        int value = first + 4;
        if (value < end
                && isField(first + 1, "java.lang.Thread", THREAD_LOCALS, INHERITED)
                && isField(first + 2, "java.lang.ThreadLocal$ThreadLocalMap", "table", "table")
                && paths.kind[first + 3] == HeldPaths.STEP_ELEMENT
                && isField(value, "java.lang.ThreadLocal$ThreadLocalMap$Entry", "value", "value")) {
            return value + 1;
        }
        return first + 1;
    }

    private boolean isField(int step, String owner, String name, String otherName) {
        String field = text(paths.field[step]);
        return paths.kind[step] == HeldPaths.STEP_FIELD
                && text(paths.from[step]).equals(owner)
                && (field.equals(name) || field.equals(otherName));
    }

    // ---- The steps ----

    private void foldStep(int i, String object) {
        boolean isElement = paths.kind[i] == HeldPaths.STEP_ELEMENT;
        if (isElement && collection != null && array != null) {
            foldElement(i);
            return;
        }
        Links.Known known = links.of(i);
        Row row = known.row();
        array = null;
        if (row == null) {
            leaveCollection(i);
            emit(known.link(), i, i + 1);
            return;
        }
        switch (row.meaning()) {
            case INSIDE, ELEMENTS, BOTH, SET -> enter(row, object, i);
            case WRAPS -> {
                boolean isOuter = collection == null || isWrapper;
                enter(row, object, i);
                isWrapper = isOuter;
            }
            case KEY, VALUE, ELEMENT -> {
                enter(row, object, i);
                leaveWith(row.meaning(), i);
            }
            case WORDS -> {
                int from = isWrapper ? openedAt : i;
                if (isWrapper) {
                    close();
                }
                leaveCollection(i);
                emit(Link.of(Form.WORDS, row.words(), "", softIn(from, i + 1)), from, i + 1);
            }
        }
    }

    private void enter(Row row, String object, int i) {
        if (collection == null) {
            openedAt = i;
        }
        if (collection == null || isWrapper) {
            isWrapper = false;
            collection = nameOf(object.isEmpty() ? row.className() : object);
        }
        isSet |= row.meaning() == Meaning.SET;
        isSoft |= softIn(i, i + 1);
        array =
                switch (row.meaning()) {
                    case ELEMENTS, BOTH, INSIDE -> row.meaning();
                    default -> null;
                };
    }

    /** The name of a collection, given its class or that of one of its nodes. */
    private static String nameOf(String type) {
        int dollar = type.lastIndexOf('$');
        boolean isPart =
                dollar > 0
                        && type.startsWith("java.")
                        && switch (type.substring(dollar + 1)) {
                            case "Node", "Entry", "Index", "TreeNode", "TreeBin", "DualNode" ->
                                    true;
                            default -> false;
                        };
        return KnownHolders.nameOf(isPart ? type.substring(0, dollar) : type);
    }

    private void foldElement(int i) {
        isSoft |= softIn(i, i + 1);
        Meaning meaning = array;
        array = null;
        if (meaning == Meaning.ELEMENTS || meaning == Meaning.BOTH) {
            leaveWith(meaning, i);
        }
    }

    private void leaveWith(Meaning meaning, int i) {
        String words =
                switch (meaning) {
                    case KEY -> isSet ? "element of" : "key in";
                    case VALUE -> "value in";
                    case BOTH -> isSet ? "element of" : "key or value in";
                    default -> "element of";
                };
        emit(Link.of(Form.IN_COLLECTION, name(), words, isSoft), openedAt, i + 1);
        close();
    }

    /** Adds a link for a path that ends inside a collection, or leaves it by an unknown field. */
    private void leaveCollection(int before) {
        if (collection != null) {
            emit(Link.of(Form.INSIDE_COLLECTION, name(), "", isSoft), openedAt, before);
            close();
        }
    }

    private String name() {
        return collection == null ? "" : collection;
    }

    private void close() {
        collection = null;
        isSet = false;
        isWrapper = false;
        isSoft = false;
        array = null;
    }

    private boolean softIn(int from, int to) {
        for (int i = from; i < to; i++) {
            if ((paths.flags[i] & HeldPaths.SOFT) != 0) {
                return true;
            }
        }
        return false;
    }

    // ---- What comes out ----

    private void emit(Link link, int from, int to) {
        emit(links.number(link), from, to);
    }

    private void emit(int link, int from, int to) {
        boolean dominates = to > from && (paths.flags[to - 1] & HeldPaths.DOMINATES) != 0;
        boolean isRepeated = to == from + 1 && (paths.flags[from] & HeldPaths.REPEATED) != 0;
        folded.add(new Folded(link, from, to, dominates, isRepeated));
        for (int period = 1; period <= LONGEST_PERIOD; period++) {
            if (repeats(period)) {
                dropLast(period);
                return;
            }
        }
    }

    /** Returns whether the last links are the same as those before them; the root never is. */
    private boolean repeats(int period) {
        int size = folded.size();
        if (size < 2 * period + 1) {
            return false;
        }
        for (int i = 1; i <= period; i++) {
            if (folded.get(size - i).link != folded.get(size - i - period).link) {
                return false;
            }
        }
        return true;
    }

    private void dropLast(int period) {
        for (int i = 0; i < period; i++) {
            Folded last = folded.remove(folded.size() - 1);
            Folded same = folded.get(folded.size() - period);
            same.dominates |= last.dominates;
            same.isRepeated = true;
        }
    }
}
