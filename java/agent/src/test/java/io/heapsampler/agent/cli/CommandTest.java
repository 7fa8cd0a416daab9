// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs commands over saved snapshots, in a folder of its own. */
abstract class CommandTest {

    static final int DONE = 0;
    static final int FAILED = 1;
    static final int WRONG = 2;

    @TempDir Path folder;
    Path earlier = Path.of("");
    Path later = Path.of("");
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    @BeforeEach
    void save() throws IOException {
        earlier = saved("small-17-g1.block", "earlier.hsnap");
        later = saved("lines-17-g1.block", "later.hsnap");
    }

    private Path saved(String golden, String name) throws IOException {
        try (InputStream in =
                HeapSnapshot.class.getResourceAsStream("/io/heapsampler/blocks/" + golden)) {
            Path file = folder.resolve(name);
            Files.write(file, in.readAllBytes());
            return file;
        }
    }

    final int run(Object... arguments) {
        String[] texts = Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new);
        return Main.run(new PrintWriter(out), new PrintWriter(err), texts);
    }

    final JsonObject json() {
        return JsonParser.parseString(out.toString()).getAsJsonObject();
    }

    /**
     * Saves a snapshot whose sites have the given numbers of samples, which no other snapshot has.
     */
    final Path sites(String name, long seconds, int steady, int high) throws IOException {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, seconds * 1_000_000);
        int thread = writer.thread(1, "main");
        for (int i = 0; i < 60; i++) {
            int stack = writer.stack(false, writer.frame("a.Maker" + i, "make", 1));
            int site = writer.site(stack, "a.Site" + i, 1, 1, 64);
            for (int k = 0; k < (i == 0 ? high : steady); k++) {
                writer.living(site, thread, 64, seconds * 1_000_000, 65_536, 0, 1, 1);
            }
        }
        return Files.write(folder.resolve(name), writer.write());
    }
}
