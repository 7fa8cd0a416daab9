// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.internal.shared.AllocatedBytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The sections LABELS and SITE_LABELS, byte by byte. */
class LabelSectionsTest {

    /** Makes LABELS of texts, with bars for zeros. */
    private static BlockWriter with(String... sets) {
        BlockWriter writer = sites();
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (String set : sets) {
            byte[] bytes = set.replace('|', '\0').getBytes(StandardCharsets.ISO_8859_1);
            payload.writeBytes(number(bytes.length));
            payload.writeBytes(bytes);
        }
        return writer.section(15, sets.length, payload.toByteArray());
    }

    /** Two rows of one site. */
    private static BlockWriter sites() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false);
        writer.site(stack, "byte[]", 1, 1, 1);
        writer.site(stack, "byte[]", 1, 1, 1);
        return writer;
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
    }

    private static BlockWriter ofSites(BlockWriter writer, int... sets) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int set : sets) {
            payload.writeBytes(number(set));
        }
        return writer.section(16, sets.length, payload.toByteArray());
    }

    private static void refused(BlockWriter writer, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SnapshotDecoder.decode(writer.write()))
                .withMessage("The snapshot block is damaged: " + message + ".");
    }

    @Test
    void readsSetsOfRows() {
        BlockWriter writer = with("", "a|1|b|\u00c3\u00a9|", "|", "c||");
        writer.site(-1, "x", 1, 1, 1);
        writer.site(-1, "x", 1, 1, 1);
        SiteRows rows = SnapshotDecoder.decode(ofSites(writer, 1, 0, 2, 3).write()).rows();

        assertThat(rows.count()).isEqualTo(4);
        assertThat(rows.labels(0).labels())
                .containsExactly(Map.entry("a", "1"), Map.entry("b", "é"));
        assertThat(rows.labels(1)).isEqualTo(LabelSet.NONE);
        assertThat(rows.labels(2)).isEqualTo(LabelSet.OTHER);
        assertThat(rows.labels(3).labels()).containsExactly(Map.entry("c", ""));
        assertThat(rows.ofSite(0)).containsExactly(0, 1);
        assertThat(rows.ofSite(1)).containsExactly(2, 3);
    }

    @Test
    void theBuilderWritesWhatIsRead() {
        BlockWriter built = sites();
        int second = built.labels(Map.of("b", "2", "a", "\u00e9"));
        int other = built.otherLabels();
        built.labelSite(0, second).labelSite(1, other);

        assertThat(built.write())
                .isEqualTo(ofSites(with("", "a|\u00c3\u00a9|b|2|", "|"), 1, 2).write());
    }

    @Test
    void densitiesOfRowsAreAddedUpWhereTheyAreKnown() {
        BlockWriter writer = sites();
        writer.density(3, 1.5).density(4, 2);
        writer.site(-1, "x", 1, 1, 1);
        writer.density(7, 0);
        writer.labelSite(1, writer.labels(Map.of("a", "1")));
        SnapshotData data = SnapshotDecoder.decode(writer.write());

        assertThat(data.siteFound).containsExactly(7, 0);
        assertThat(data.sitePassed).containsExactly(3.5, 0);
    }

    @Test
    void countsOfRowsThatAddUpToTooMuchAreTheLargest() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false);
        int lifetimes = writer.lifetimes(Long.MAX_VALUE, new double[48]);
        for (int row = 0; row < 2; row++) {
            writer.site(stack, writer.name("x"), 1, 1, 0, 1, 0, 1, lifetimes);
            writer.density(Long.MAX_VALUE, 1);
        }
        writer.labelSite(1, writer.labels(Map.of("a", "1")));
        SnapshotData data = SnapshotDecoder.decode(writer.write());

        assertThat(data.deaths(data.rows().ofSite(0))).isEqualTo(Long.MAX_VALUE);
        assertThat(data.siteFound).containsExactly(Long.MAX_VALUE);
    }

    /** Each of many sites once copied the lifetimes of all. */
    @Test
    void toMergeRowsTakesLittleMemory() {
        BlockWriter writer = new BlockWriter();
        int set = writer.labels(Map.of("a", "1"));
        double[] buckets = new double[48];
        for (int site = 0; site < 2_000; site++) {
            int stack = writer.stack(false, writer.frame("a.A", "m", site));
            for (int row = 0; row < 2; row++) {
                int lifetimes = writer.lifetimes(1 + row, buckets);
                writer.site(stack, writer.name("x"), 1, 1, 0, 1, 0, 1, lifetimes);
            }
            writer.labelSite(2 * site, set);
        }
        byte[] block = writer.write();
        long before = AllocatedBytes.ofThisThread();
        SnapshotData data = SnapshotDecoder.decode(block);
        long allocated = AllocatedBytes.ofThisThread() - before;

        assertThat(data.siteCount()).isEqualTo(2_000);
        assertThat(data.deaths(data.rows().ofSite(1_999))).isEqualTo(3);
        assertThat(allocated).isLessThan(10L * block.length);
    }

    @Test
    void setsAreOrderedByTheirLabels() {
        BlockWriter writer = with("", "a|1|", "a|1|b|1|", "a|2|", "b|0|", "|");
        for (int row = 2; row < 6; row++) {
            writer.site(-1, "x", 1, 1, 1);
        }
        SiteRows rows = SnapshotDecoder.decode(ofSites(writer, 0, 1, 2, 3, 4, 5).write()).rows();

        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 6; k++) {
                assertThat(Integer.signum(rows.labels(i).compareTo(rows.labels(k))))
                        .as("%s and %s", rows.labels(i), rows.labels(k))
                        .isEqualTo(Integer.compare(i, k));
            }
        }
    }

    @Test
    void withoutSetsOfSitesRowsAreSites() {
        SnapshotData data = SnapshotDecoder.decode(with("", "a|1|").write());

        assertThat(data.siteCount()).isEqualTo(2);
        assertThat(data.rows().labels(1)).isEqualTo(LabelSet.NONE);
    }

    @Test
    void damageIsNamed() {
        refused(with("a|1"), "label set 0 ends within a label");
        refused(with("", "a|"), "label set 1 ends within a label");
        refused(with("", "a|1|b|"), "label set 1 ends within a label");
        String sixteen = "a|1|b|1|c|1|d|1|e|1|f|1|g|1|h|1|i|1|j|1|k|1|l|1|m|1|n|1|o|1|p|1|";
        assertThat(SnapshotDecoder.decode(with("", sixteen).write()).siteCount()).isEqualTo(2);
        refused(with("", sixteen + "q|1|"), "label set 1 has more than 16 labels");
        refused(with("", "b|1|a|2|"), "label set 1 is not sorted by key");
        refused(with("", "a|1|a|2|"), "label set 1 is not sorted by key");
        refused(with("", "|1|"), "label set 1 is not sorted by key");
        refused(with("", "\u00c3|1|"), "label set 1 is not modified UTF-8");
        refused(with().section(15, 1, number(1)), "label set 0 leaves its section");
        refused(with().section(15, 1, number(-1)), "label set 0 leaves its section");
        refused(
                with().section(15, 2, number(0)),
                "section LABELS cannot hold 2 entries in 4 bytes");
        refused(ofSites(with(""), 0), "section SITE_LABELS has 1 entries for 2 sites");
        refused(ofSites(with(""), 0, 1), "entry 1 of SITE_LABELS names label set 1 of 1");
        refused(ofSites(with(""), -1, 0), "entry 0 of SITE_LABELS names label set 4294967295 of 1");
        refused(
                with("").section(16, 2, number(0)),
                "section SITE_LABELS has 2 entries of 4 bytes, but 4 bytes");
    }
}
