// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.internal.shared.BlockBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/** Writes a snapshot with labels whose figures are known. Run by tests/export/run. */
class Labelled {

    public static void main(String[] arguments) throws Exception {
        BlockBuilder block = new BlockBuilder().info(Instant.parse("2026-01-01T00:00:00Z"), 21, 9);
        int frame = block.frame("com.acme.Cart", "com.acme.Cart", "add", "()V", "Cart.java", 42, 0);
        int stack = block.stack(false, frame);
        site(block, stack, 1, Map.of());
        site(block, stack, 2, Map.of("endpoint", "GET /carts", "class", "gold"));
        site(block, stack, 4, Map.of("endpoint", "GET /orders", "class", "gold"));
        block.labelSite(site(block, stack, 8, Map.of()), block.otherLabels());
        Files.write(Path.of(arguments[0]), block.block());
    }

    private static int site(BlockBuilder block, int stack, int objects, Map<String, String> set) {
        int name = block.name("byte[]");
        int site = block.site(stack, name, objects, objects, 0, 16 * objects, 0, 16, -1);
        if (!set.isEmpty()) {
            block.labelSite(site, block.labels(set));
        }
        return site;
    }
}
