// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The sites of a report: a class and a node of the tree of stacks each. Sites of two snapshots with
 * the same class and equal stacks are one.
 */
final class ReportSites {

    private static final int NONE = -1;
    private static final int OTHER = 1;
    private static final int TRUNCATED = 2;

    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final FrameIndex frames = new FrameIndex();
    private final Map<Node, Integer> nodes = new LinkedHashMap<>();
    private final Map<Integer, Integer> classes = new LinkedHashMap<>();
    private final Map<Site, Integer> sites = new LinkedHashMap<>();

    /** A frame called from another; a parent always has a smaller number. */
    private record Node(int parent, int frame) {}

    private record Site(int node, int className, int flags) {}

    private static <K> int number(Map<K, Integer> numbers, K key) {
        return numbers.computeIfAbsent(key, unused -> numbers.size());
    }

    /** Returns the number of a site, from 0 in the order in which sites are met. */
    int numberOf(SiteRow row) {
        int node = NONE;
        List<HeapFrame> stack = row.stack();
        for (int i = stack.size() - 1; i >= 0; i--) {
            node = number(nodes, new Node(node, frames.numberOf(stack.get(i))));
        }
        HeapSite site = row.site();
        int flags = site == null || site.isOther() ? OTHER : 0;
        flags |= site != null && site.isTruncated() ? TRUNCATED : 0;
        int className = number(classes, number(names, row.className()));
        return number(sites, new Site(node, className, flags));
    }

    int count() {
        return sites.size();
    }

    void write(JsonWriter json) throws IOException {
        writeFrames(json);
        json.name("nodes").beginObject();
        column(json.name("parent"), nodes.keySet(), Node::parent);
        column(json.name("frame"), nodes.keySet(), Node::frame);
        json.endObject();
        json.name("sites").beginObject();
        column(json.name("node"), sites.keySet(), Site::node);
        column(json.name("class"), sites.keySet(), Site::className);
        column(json.name("flags"), sites.keySet(), Site::flags);
        json.endObject();
        column(json.name("classes"), classes.keySet(), name -> name);
        // Behind all that has names.
        json.name("names").beginArray();
        for (String name : names.keySet()) {
            json.value(name);
        }
        json.endArray();
    }

    private void writeFrames(JsonWriter json) throws IOException {
        List<HeapFrame> all = new ArrayList<>(frames.all());
        json.name("frames").beginObject();
        column(json.name("class"), all, frame -> number(names, frame.className()));
        column(json.name("method"), all, frame -> number(names, frame.methodName()));
        column(json.name("file"), all, this::fileOf);
        column(json.name("line"), all, frame -> frame.lineNumber().orElse(NONE));
        json.endObject();
    }

    private int fileOf(HeapFrame frame) {
        String file = frame.fileName();
        return file == null ? NONE : number(names, file);
    }

    private static <T> void column(JsonWriter json, Collection<T> rows, ToIntFunction<T> of)
            throws IOException {
        json.beginArray();
        for (T row : rows) {
            json.value(of.applyAsInt(row));
        }
        json.endArray();
    }
}
