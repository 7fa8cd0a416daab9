// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.LinkedHashMap;
import java.util.Map;

/** Snapshots with labels. Samples are drawn with interval 0 and so stand for themselves. */
final class LabelledHeaps {

    static final Map<String, String> ORDERS = Map.of("endpoint", "GET /orders", "tenant", "acme");
    static final Map<String, String> CARTS = Map.of("endpoint", "GET /carts", "tenant", "acme");
    static final Map<String, String> TENANT = Map.of("tenant", "initech");

    private LabelledHeaps() {}

    /**
     * Two sites: arrays of bytes without labels (100 bytes), for orders (2,000, of which 300 live
     * of two threads), for carts (400, of which 50 live) and for sets without room (30), and texts
     * for orders (24) and for a tenant (8).
     */
    static HeapSnapshot shop() {
        return shop(1);
    }

    /** The same recording later, with the given multiple of the allocations. */
    static HeapSnapshot shop(int times) {
        BlockWriter writer = Heaps.writer().info(Info.TAKEN_AT, Heaps.START + times * 60_000_000L);
        int add = writer.frame("com.acme.Cart", "com.acme.Cart", "add", "Cart.java", 42, 40 << 16);
        int stack = writer.stack(false, add, writer.frame("com.acme.Main", "main", 7));
        int main = writer.thread(1, "main");
        int pool = writer.thread(22, "pool-1-thread-1");
        int orders = writer.labels(ORDERS);
        int carts = writer.labels(CARTS);
        writer.site(stack, "byte[]", 1, 1, 100);
        int ofOrders = writer.site(stack, "byte[]", 5, 5 * times, 2000 * times);
        int ofCarts = writer.site(stack, "byte[]", 2, 2 * times, 400 * times);
        int ofOthers = writer.site(stack, "byte[]", 1, 1, 30);
        int leaf = writer.stack(false, add);
        int text = writer.site(leaf, "java.lang.String", 1, 1, 24);
        int ofTenant = writer.site(leaf, "java.lang.String", 1, 1, 8);
        writer.labelSite(ofOrders, orders).labelSite(ofCarts, carts).labelSite(text, orders);
        writer.labelSite(ofOthers, writer.otherLabels());
        writer.labelSite(ofTenant, writer.labels(TENANT));
        long at = Heaps.START + Heaps.SECOND;
        writer.living(ofOrders, main, 100, at, 0, 0, 1, 2);
        writer.living(ofOrders, pool, 200, at, 0, 0, 1, 2);
        writer.living(ofCarts, pool, 50, at, 0, 0, 1, 2);
        return Heaps.read(writer);
    }

    /** One site with a byte for each set of labels. */
    @SafeVarargs
    static HeapSnapshot of(Map<String, String>... sets) {
        BlockWriter writer = Heaps.writer();
        int stack = writer.stack(false, writer.frame("com.acme.Cart", "add", 42));
        for (Map<String, String> set : sets) {
            int site = writer.site(stack, "byte[]", 1, 1, 1);
            writer.labelSite(site, writer.labels(set));
            writer.living(site, -1, 1, Heaps.START, 0, 0, 1, 1);
        }
        return Heaps.read(writer);
    }

    /** Keys that profiles use themselves. */
    static HeapSnapshot clashing() {
        Map<String, String> set = new LinkedHashMap<>();
        for (String key :
                new String[] {
                    "age",
                    "bytes",
                    "class",
                    "class2",
                    "label_class",
                    "labels",
                    "pprof::base",
                    "thread"
                }) {
            set.put(key, "of " + key);
        }
        return of(set);
    }

    /** Texts that the API does not accept, but a file can have. */
    static HeapSnapshot hostile() {
        return of(Map.of(Heaps.HOSTILE, "\0" + Heaps.HOSTILE, "=1+1", "@cmd,\"x\"\r\n\ud800"));
    }
}
