// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How paths read after folding. */
class PathFolderTest {

    private static final String ROOT = "static com.acme.Shop.open -> ";

    /** The links of a path, separated by " / ". */
    private static String fold(String root, String... steps) {
        byte[] block = new HeldBlockWriter().path(0, root, steps).write();
        HeldPaths paths = HeldDecoder.decode(block, 0, block.length, 1);
        ThreadNames threads = new ThreadNames(Map.of(7L, "main"), paths.thread);
        Links links = new Links(paths);
        return new PathFolder(paths, threads, links)
                .fold(0).stream()
                        .map(
                                each ->
                                        links.all().get(each.link).text()
                                                + (each.isRepeated ? " (repeated)" : ""))
                        .collect(Collectors.joining(" / "));
    }

    /** Below the static field, from a collection of this class on. */
    private static String below(String type, String... steps) {
        String text = fold(ROOT + type, steps);
        String field = "static field com.acme.Shop.open / ";
        assertThat(text).startsWith(field);
        return text.substring(field.length());
    }

    /** Paths from a collection to what it holds: class, steps, expected text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.HashMap | java.util.HashMap.table -> java.util.HashMap$Node[] | [] ->"
                    + " java.util.HashMap$Node | java.util.HashMap$Node.next ->"
                    + " java.util.HashMap$Node | java.util.HashMap$Node.key -> X | key in HashMap",
                "java.util.LinkedHashMap | java.util.LinkedHashMap.head ->"
                    + " java.util.LinkedHashMap$Entry | java.util.LinkedHashMap$Entry.after ->"
                    + " java.util.LinkedHashMap$Entry | java.util.HashMap$Node.value -> X | value"
                    + " in LinkedHashMap",
                "java.util.HashMap | java.util.HashMap.table -> java.util.HashMap$Node[] | [] ->"
                    + " java.util.HashMap$TreeNode | java.util.HashMap$TreeNode.left ->"
                    + " java.util.HashMap$TreeNode | java.util.HashMap$Node.value -> X | value in"
                    + " HashMap",
                "com.acme.MyMap | java.util.HashMap.table -> java.util.HashMap$Node[] | [] ->"
                        + " java.util.HashMap$Node | java.util.HashMap$Node.value -> X | value in"
                        + " com.acme.MyMap",
                "java.util.HashSet | java.util.HashSet.map -> java.util.HashMap |"
                        + " java.util.HashMap.table -> java.util.HashMap$Node[] | [] ->"
                        + " java.util.HashMap$Node | java.util.HashMap$Node.key -> X | element of"
                        + " HashSet",
                "java.util.TreeSet | java.util.TreeSet.m -> java.util.TreeMap |"
                        + " java.util.TreeMap.root -> java.util.TreeMap$Entry |"
                        + " java.util.TreeMap$Entry.right -> java.util.TreeMap$Entry |"
                        + " java.util.TreeMap$Entry.key -> X | element of TreeSet",
                "java.util.ArrayList | java.util.ArrayList.elementData -> java.lang.Object[] | []"
                        + " -> X | element of ArrayList",
                "java.util.Collections$UnmodifiableRandomAccessList |"
                    + " java.util.Collections$UnmodifiableList.list -> java.util.ArrayList |"
                    + " java.util.ArrayList.elementData -> java.lang.Object[] | [] -> X | element"
                    + " of ArrayList",
                "java.util.Collections$SetFromMap | java.util.Collections$SetFromMap.m ->"
                        + " java.util.IdentityHashMap | java.util.IdentityHashMap.table ->"
                        + " java.lang.Object[] | [] -> X | element of Collections.newSetFromMap",
                "java.util.IdentityHashMap | java.util.IdentityHashMap.table -> java.lang.Object[]"
                        + " | [] -> X | key or value in IdentityHashMap",
                "java.util.LinkedList | java.util.LinkedList.first -> java.util.LinkedList$Node |"
                        + " java.util.LinkedList$Node.next -> java.util.LinkedList$Node * |"
                        + " java.util.LinkedList$Node.item -> X | element of LinkedList",
                "java.util.WeakHashMap | java.util.WeakHashMap.table ->"
                        + " java.util.WeakHashMap$Entry[] | [] -> java.util.WeakHashMap$Entry |"
                        + " java.util.WeakHashMap$Entry.value -> X | value in WeakHashMap",
                "java.util.concurrent.ConcurrentHashMap |"
                        + " java.util.concurrent.ConcurrentHashMap.table ->"
                        + " java.util.concurrent.ConcurrentHashMap$Node[] | [] ->"
                        + " java.util.concurrent.ConcurrentHashMap$Node |"
                        + " java.util.concurrent.ConcurrentHashMap$Node.val -> X | value in"
                        + " ConcurrentHashMap",
                "java.util.concurrent.ConcurrentHashMap$KeySetView |"
                        + " java.util.concurrent.ConcurrentHashMap$CollectionView.map ->"
                        + " java.util.concurrent.ConcurrentHashMap |"
                        + " java.util.concurrent.ConcurrentHashMap.table ->"
                        + " java.util.concurrent.ConcurrentHashMap$Node[] | [] ->"
                        + " java.util.concurrent.ConcurrentHashMap$Node |"
                        + " java.util.concurrent.ConcurrentHashMap$Node.key -> X | element of"
                        + " ConcurrentHashMap.newKeySet",
                "java.util.ImmutableCollections$MapN | java.util.ImmutableCollections$MapN.table ->"
                        + " java.lang.Object[] | [] -> X | key or value in immutable Map",
                "java.util.ImmutableCollections$List12 | java.util.ImmutableCollections$List12.e0"
                        + " -> X | element of immutable List",
                "java.util.Optional | java.util.Optional.value -> X | value in Optional",
                "java.util.HashMap$Node | java.util.HashMap$Node.value -> X | value in HashMap",
                "java.util.concurrent.ThreadPoolExecutor |"
                        + " java.util.concurrent.ThreadPoolExecutor.workQueue ->"
                        + " java.util.concurrent.LinkedBlockingQueue |"
                        + " java.util.concurrent.LinkedBlockingQueue.head ->"
                        + " java.util.concurrent.LinkedBlockingQueue$Node |"
                        + " java.util.concurrent.LinkedBlockingQueue$Node.next ->"
                        + " java.util.concurrent.LinkedBlockingQueue$Node |"
                        + " java.util.concurrent.LinkedBlockingQueue$Node.item -> X | queue of a"
                        + " ThreadPoolExecutor / element of LinkedBlockingQueue",
                "java.lang.Thread | java.lang.Thread.holder -> java.lang.Thread$FieldHolder |"
                        + " java.lang.Thread$FieldHolder.task -> X | task of a thread",
            })
    void collectionsOfTheJdkAreOneLink(String path) {
        String[] parts = path.split(" \\| ");
        String[] steps = java.util.Arrays.copyOfRange(parts, 1, parts.length - 1);

        assertThat(below(parts[0], steps)).isEqualTo(parts[parts.length - 1]);
    }

    @Test
    void aPathThatEndsInsideACollectionSaysSo() {
        assertThat(
                        below(
                                "java.util.HashMap",
                                "java.util.HashMap.table -> java.util.HashMap$Node[]",
                                "[] -> java.util.HashMap$Node"))
                .isEqualTo("inside HashMap");
        assertThat(below("java.util.ArrayList", "java.util.ArrayList.elementData -> X[]"))
                .isEqualTo("inside ArrayList");
    }

    @Test
    void aPathThatLeavesACollectionByAnUnknownFieldSaysBoth() {
        assertThat(
                        below(
                                "java.util.TreeMap",
                                "java.util.TreeMap.root -> java.util.TreeMap$Entry",
                                "java.util.TreeMap$Entry.odd -> com.acme.X",
                                "com.acme.X.y -> Y"))
                .isEqualTo("inside TreeMap / java.util.TreeMap$Entry.odd / com.acme.X.y");
        assertThat(
                        below(
                                "java.util.Collections$UnmodifiableMap",
                                "java.util.Collections$UnmodifiableMap.m -> com.acme.X",
                                "com.acme.X.y -> Y"))
                .isEqualTo("inside Collections$UnmodifiableMap / com.acme.X.y");
    }

    @Test
    void collectionsInCollectionsAreLinksOfTheirOwn() {
        assertThat(
                        below(
                                "java.util.HashMap",
                                "java.util.HashMap.table -> java.util.HashMap$Node[]",
                                "[] -> java.util.HashMap$Node",
                                "java.util.HashMap$Node.value -> java.util.ArrayList",
                                "java.util.ArrayList.elementData -> java.lang.Object[]",
                                "[] -> com.acme.Order[]",
                                "[] -> com.acme.Order"))
                .isEqualTo("value in HashMap / element of ArrayList / element of com.acme.Order[]");
    }

    @Test
    void lambdasAndInnerClassesReadAsInTheSource() {
        assertThat(
                        below(
                                "com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000",
                                "com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000.arg$1 ->"
                                        + " com.acme.Shop$1",
                                "com.acme.Shop$1.this$0 -> com.acme.Shop",
                                "com.acme.Shop$1.val$order -> byte[]"))
                .isEqualTo(
                        "captured by a lambda of com.acme.Shop / outer instance of com.acme.Shop$1"
                                + " / order, captured by com.acme.Shop$1");
    }

    @Test
    void runsOfLinksThatRepeatAreShownOnce() {
        String next = "com.acme.Node.next -> com.acme.Node";
        assertThat(below("com.acme.Node", next, next, next, "com.acme.Node.value -> X"))
                .isEqualTo("com.acme.Node.next (repeated) / com.acme.Node.value");
        assertThat(below("com.acme.Node", next + " *", "com.acme.Node.value -> X"))
                .isEqualTo("com.acme.Node.next (repeated) / com.acme.Node.value");
        String children = "com.acme.Tree.children -> java.util.ArrayList";
        String data = "java.util.ArrayList.elementData -> java.lang.Object[]";
        String element = "[] -> com.acme.Tree";
        assertThat(
                        below(
                                "com.acme.Tree",
                                children,
                                data,
                                element,
                                children,
                                data,
                                element,
                                children,
                                data,
                                element))
                .isEqualTo("com.acme.Tree.children (repeated) / element of ArrayList (repeated)");
    }

    @Test
    void stepsThatWereLeftOutAreSaid() {
        assertThat(below("com.acme.A", "com.acme.A.b -> com.acme.B >", "com.acme.C.d -> X"))
                .isEqualTo("com.acme.A.b / (some references left out) / com.acme.C.d");
    }

    @Test
    void aCollectionBehindStepsThatWereLeftOutHasItsOwnName() {
        assertThat(
                        below(
                                "com.acme.A",
                                "com.acme.A.b -> com.acme.B >",
                                "java.util.HashMap$Node.value -> X"))
                .isEqualTo("com.acme.A.b / (some references left out) / value in HashMap");
    }

    @Test
    void aThreadLocalIsARoot() {
        String thread = "thread 7 -> java.lang.Thread";
        String map = " -> java.lang.ThreadLocal$ThreadLocalMap";
        String[] steps = {
            "java.lang.Thread.threadLocals" + map,
            "java.lang.ThreadLocal$ThreadLocalMap.table ->"
                    + " java.lang.ThreadLocal$ThreadLocalMap$Entry[]",
            "[] -> java.lang.ThreadLocal$ThreadLocalMap$Entry",
            "java.lang.ThreadLocal$ThreadLocalMap$Entry.value -> X",
            "com.acme.X.y -> Y"
        };
        assertThat(fold(thread, steps)).isEqualTo("thread-local of thread main / com.acme.X.y");
        steps[0] = "java.lang.Thread.inheritableThreadLocals" + map;
        assertThat(fold(thread, steps)).isEqualTo("thread-local of thread main / com.acme.X.y");
        assertThat(fold(thread, steps[0], steps[1], steps[2]))
                .isEqualTo(
                        "thread main / inheritable thread-locals of a thread / inside"
                                + " ThreadLocalMap");
    }

    @Test
    void eachKindOfRootAndStepHasAText() {
        assertThat(fold("thread 7 -> com.acme.Worker")).isEqualTo("thread main (com.acme.Worker)");
        assertThat(fold("local com.acme.Shop.run 7 -> byte[]"))
                .isEqualTo("local of com.acme.Shop.run in thread main");
        assertThat(fold("root 4 7 -> byte[]"))
                .isEqualTo("local reference of native code in thread main");
        assertThat(fold("root 5 0 -> byte[]"))
                .isEqualTo("global reference of native code to byte[]");
        assertThat(fold("root 5 0 -> com.acme.A c"))
                .isEqualTo("global reference of native code to class com.acme.A");
        assertThat(fold("root 6 0 -> com.acme.A c"))
                .isEqualTo("class com.acme.A, which the JVM needs");
        assertThat(fold("root 7 7 -> com.acme.Lock"))
                .isEqualTo("lock to com.acme.Lock in use by thread main");
        assertThat(fold("root 8 0 -> byte[]")).isEqualTo("reference of the JVM to byte[]");
        assertThat(fold("root 9 0 -> byte[]")).isEqualTo("finalizer queue");
        assertThat(fold("static java.lang.ApplicationShutdownHooks.hooks -> X"))
                .isEqualTo("shutdown hooks (Runtime.addShutdownHook)");
        assertThat(
                        fold(
                                "root 5 0 -> com.acme.A",
                                "kind 4 com.acme.A -> java.lang.Class",
                                "static com.acme.A.it -> com.acme.B",
                                "kind 5 com.acme.B -> com.acme.Loader",
                                "kind 6 com.acme.B -> X",
                                "kind 7 com.acme.B -> X",
                                "kind 8 com.acme.B -> X",
                                "kind 9 com.acme.B -> X",
                                "kind 10 com.acme.B -> X",
                                "kind 11 com.acme.B -> X"))
                .isEqualTo(
                        "global reference of native code to com.acme.A / class com.acme.A / static"
                                + " field com.acme.A.it / class loader of com.acme.B / signers of"
                                + " com.acme.B / protection domain of com.acme.B / interface of"
                                + " com.acme.B / superclass of com.acme.B / constant pool of"
                                + " com.acme.B / reference of the JVM in com.acme.B");
    }
}
