// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static io.heapsampler.export.Json.number;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sites of a report: a class and a node of the tree of stacks each, and a set of labels, so
 * that a site of a snapshot is several here. Sites of two snapshots with the same class, equal
 * stacks and equal labels are one.
 */
final class ReportSites {

    private static final int NONE = -1;
    private static final int OTHER = 1;
    private static final int TRUNCATED = 2;

    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final Map<HeapFrame, Integer> frames = new LinkedHashMap<>();
    private final Map<Node, Integer> nodes = new LinkedHashMap<>();
    private final Map<Integer, Integer> classes = new LinkedHashMap<>();
    private final Map<Site, Integer> sites = new LinkedHashMap<>();

    /** A frame called from another; a parent always has a smaller number. */
    private record Node(int parent, int frame) {}

    private record Site(int node, int className, int flags, int labels) {}

    /**
     * Returns the number of a site, from 0 in the order of the calls.
     *
     * @param labels the number of the set of labels; 0 for none
     */
    int numberOf(SiteRow row, int labels) {
        int node = NONE;
        List<HeapFrame> stack = row.stack();
        for (int i = stack.size() - 1; i >= 0; i--) {
            node = number(nodes, new Node(node, number(frames, stack.get(i))));
        }
        HeapSite site = row.site();
        int flags = site == null || site.isOther() ? OTHER : 0;
        flags |= site != null && site.isTruncated() ? TRUNCATED : 0;
        int className = number(classes, number(names, row.className()));
        return number(sites, new Site(node, className, flags, labels));
    }

    int count() {
        return sites.size();
    }

    void write(Json json, boolean isLabelled) throws IOException {
        json.name("frames").begin('{');
        json.column("class", frames.keySet(), frame -> number(names, frame.className()));
        json.column("method", frames.keySet(), frame -> number(names, frame.methodName()));
        json.column("file", frames.keySet(), this::fileOf);
        json.column("line", frames.keySet(), frame -> frame.lineNumber().orElse(NONE));
        json.end('}');
        json.name("nodes").begin('{');
        json.column("parent", nodes.keySet(), Node::parent);
        json.column("frame", nodes.keySet(), Node::frame);
        json.end('}');
        json.name("sites").begin('{');
        json.column("node", sites.keySet(), Site::node);
        json.column("class", sites.keySet(), Site::className);
        json.column("flags", sites.keySet(), Site::flags);
        if (isLabelled) {
            json.column("labels", sites.keySet(), Site::labels);
        }
        json.end('}');
        json.column("classes", classes.keySet(), name -> name);
        // Last, because the tables above add names.
        json.texts("names", names.keySet(), name -> name);
    }

    private int fileOf(HeapFrame frame) {
        String file = frame.fileName();
        return file == null ? NONE : number(names, file);
    }
}
