// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The table that {@code watch} shows. */
class WatchTableTest {

    private static final long SECOND = 1_000_000;

    /** A leak of 100 objects of 16 KiB a second, and a buffer that stays. */
    private static HeapSnapshot at(long seconds) throws IOException {
        BlockWriter block = new BlockWriter();
        block.info(Info.TAKEN_AT, (100 + seconds) * SECOND).info(Info.STARTED_AT, 100 * SECOND);
        block.info(Info.SAMPLED_MICROS, seconds * SECOND).info(Info.COLLECTIONS, seconds);
        int leak = block.frame("com.acme.Shop", "openSession", 42);
        int map = block.frame("java.util.HashMap", "put", 7);
        int buffer = block.frame("com.acme.Shop", "buffer", 50);
        long objects = 100 * seconds;
        int leaking =
                block.site(
                        block.stack(false, map, leak),
                        "byte[]",
                        objects,
                        objects,
                        16_384.0 * objects);
        int staying = block.site(block.stack(false, buffer), "char[]", 100, 100, 100 * 65_536.0);
        block.thread(1, "main");
        for (int i = 0; i < objects; i++) {
            block.living(leaking, 0, 16_384, (100 + i / 100) * SECOND, 0, 0, 1, 1);
        }
        for (int i = 0; i < 100; i++) {
            block.living(staying, 0, 65_536, 100 * SECOND, 0, 0, 1, 1);
        }
        return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
    }

    private static WatchTable table(WatchTable.Order order) throws IOException {
        WatchTable table = new WatchTable("4711", order);
        for (int i = 1; i <= 3; i++) {
            table.add(at(i));
        }
        return table;
    }

    @Test
    void showsLiveAndGrowthAndWhereTheApplicationAllocates() throws IOException {
        List<String> lines = table(WatchTable.Order.LIVE).lines(10, 200);

        assertThat(lines.get(0)).startsWith("process 4711, sampled for 00:00:03, interval 0 B, 3");
        assertThat(lines.get(2))
                .isEqualTo(
                        "Growth and allocation over 3 snapshots in 00:00:02; growth that may be"
                                + " chance is not shown.");
        assertThat(lines.get(4))
                .startsWith("      LIVE   ±%   GROWTH/s   ±%    ALLOC/s   ±%  CLASS ");
        assertThat(lines.get(5))
                .startsWith("   6.3 MiB    0                                  char[]  ");
        assertThat(lines.get(6))
                .startsWith("   4.7 MiB    0    1.6 MiB    0    1.6 MiB    0  byte[]  ")
                .endsWith("com.acme.Shop.openSession(Source.java:42)");
    }

    /** A cache of 100 objects, of which two lines of a method have put a half each. */
    private static HeapSnapshot lines(int look) throws IOException {
        BlockWriter block = new BlockWriter();
        block.info(Info.TAKEN_AT, (100 + look) * SECOND).info(Info.COLLECTIONS, look);
        block.thread(1, "main");
        for (int line : new int[] {42, 43}) {
            int stack = block.stack(false, block.frame("com.acme.Shop", "cache", line));
            int site = block.site(stack, "byte[]", 50, 50, 50 * 1024.0);
            for (int i = 0; i < 50; i++) {
                block.living(site, 0, 1024, 100 * SECOND, 0, 0, 1, 1);
            }
        }
        return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
    }

    @Test
    void linesOfAMethodAreOneRow() throws IOException {
        WatchTable table = new WatchTable("4711", WatchTable.Order.LIVE);
        table.add(lines(1));

        assertThat(table.lines(10, 200).subList(5, 6))
                .singleElement()
                .asString()
                .startsWith("   100 KiB ")
                .endsWith("com.acme.Shop.cache(Source.java:42)");
        assertThat(table.lines(10, 200)).hasSize(6);
    }

    /** A site with 40, 46 and 52 samples, none of which is in two of the snapshots. */
    private static HeapSnapshot noise(int look) throws IOException {
        BlockWriter block = new BlockWriter();
        block.info(Info.TAKEN_AT, (100 + look) * SECOND).info(Info.COLLECTIONS, look);
        int stack = block.stack(false, block.frame("com.acme.Shop", "cache", 42));
        int samples = 34 + 6 * look;
        double all = 1_000.0 * look;
        int site =
                block.site(
                        stack,
                        block.name("byte[]"),
                        100L * look,
                        all,
                        10 * all,
                        1_000 * all,
                        1e7 * all,
                        100_000L * look,
                        -1);
        block.thread(1, "main");
        for (int i = 0; i < samples; i++) {
            block.living(site, 0, 1_000, (100 + look) * SECOND - 500, 10_000, 0, 1, 1);
        }
        return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
    }

    @Test
    void growthWithinItsErrorIsNotShownAndAllocationHasAnError() throws IOException {
        WatchTable table = new WatchTable("4711", WatchTable.Order.LIVE);
        for (int look = 1; look <= 3; look++) {
            table.add(noise(look));
        }

        assertThat(table.lines(1, 200).get(5))
                .startsWith(" 533.6 KiB   26                  976.6 KiB   14  byte[]  ");
    }

    /** An interval of 0 bytes would say that every allocation is a sample. */
    @Test
    void showsTheStrategyOfCountedAllocations() throws IOException {
        BlockWriter block = new BlockWriter();
        block.info(Info.STRATEGY, 1).info(Info.STRATEGY_AMOUNT, 500);
        WatchTable table = new WatchTable("4711", WatchTable.Order.LIVE);
        table.add(HeapSnapshot.read(new ByteArrayInputStream(block.write())));

        assertThat(table.lines(10, 200).get(0))
                .contains(", one in 500 allocations, ")
                .doesNotContain("interval");
    }

    @Test
    void canBeSortedByGrowth() throws IOException {
        assertThat(table(WatchTable.Order.GROWTH).lines(1, 200))
                .hasSize(6)
                .last()
                .asString()
                .contains("openSession");
    }

    @Test
    void explainsMissingFigures() throws IOException {
        WatchTable table = new WatchTable("4711", WatchTable.Order.LIVE);
        table.add(at(0));
        assertThat(table.lines(5, 100).get(2))
                .isEqualTo("Live objects are known after the first collection (--gc forces one).");
        table.add(at(1));
        assertThat(table.lines(5, 100).get(2))
                .isEqualTo("Growth is shown from the third snapshot on (2 of 3).");
    }

    @Test
    void asJsonTheRowsAreThoseOfTheTable() throws IOException {
        WatchTable table = table(WatchTable.Order.GROWTH);

        JsonObject json =
                JsonParser.parseString(table.json(Printing.json("watch:1"), 2).toString())
                        .getAsJsonObject();
        assertThat(json.get("schema").getAsString()).isEqualTo("urn:heapsampler:watch:1");
        assertThat(json.getAsJsonObject("snapshot").get("collections").getAsInt()).isEqualTo(3);
        assertThat(json.get("snapshots").getAsInt()).isEqualTo(3);
        assertThat(json.get("spanMillis").getAsLong()).isEqualTo(2_000);
        JsonObject leak = json.getAsJsonArray("rows").get(0).getAsJsonObject();
        assertThat(leak.get("class").getAsString()).isEqualTo("byte[]");
        assertThat(leak.getAsJsonArray("stack").get(1).getAsString())
                .isEqualTo("com.acme.Shop.openSession(Source.java:42)");
        assertThat(leak.getAsJsonObject("growthPerSecond").get("value").getAsDouble())
                .isCloseTo(100 * 16_384, Percentage.withPercentage(1));
        assertThat(leak.getAsJsonObject("allocatedInSpan").get("value").getAsDouble())
                .isCloseTo(200 * 16_384, Percentage.withPercentage(1));
        JsonObject staying = json.getAsJsonArray("rows").get(1).getAsJsonObject();
        assertThat(staying.get("class").getAsString()).isEqualTo("char[]");
        assertThat(staying.get("growthPerSecond").isJsonNull()).isTrue();
    }

    @Test
    void staysWithinTheWidth() throws IOException {
        assertThat(table(WatchTable.Order.LIVE).lines(10, 40))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(40));
    }

    @Test
    void beginsAnewAfterAReset() throws IOException {
        WatchTable table = table(WatchTable.Order.LIVE);
        table.add(at(1));

        assertThat(table.lines(5, 100).get(2)).contains("1 of 3");
    }
}
