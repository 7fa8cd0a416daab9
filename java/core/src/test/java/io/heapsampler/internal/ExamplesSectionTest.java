// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The section EXAMPLES, byte by byte. */
class ExamplesSectionTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    /** Three sites. */
    private static BlockWriter sites() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false);
        for (String className : new String[] {"a.A", "a.B", "a.C"}) {
            writer.site(stack, className, 1, 1, 1);
        }
        return writer;
    }

    private static byte[] entry(int site, int zero, String ids) {
        return ByteBuffer.allocate(32)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(site)
                .putInt(zero)
                .put(HexFormat.of().parseHex(ids))
                .array();
    }

    private static BlockWriter with(byte[]... entries) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] entry : entries) {
            payload.writeBytes(entry);
        }
        return sites().section(17, entries.length, payload.toByteArray());
    }

    private static byte[] of(int site) {
        return entry(site, 0, TRACE + SPAN);
    }

    private static void refused(BlockWriter writer, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SnapshotDecoder.decode(writer.write()))
                .withMessage("The snapshot block is damaged: " + message + ".");
    }

    @Test
    void readsTheIdsOfARow() {
        String other = "000000000000000000000000000000ff";
        BlockWriter writer = with(of(1), entry(1, 7, other + "0100000000000000"), of(2));
        SiteExamples examples = SnapshotDecoder.decode(writer.write()).examples();

        assertThat(examples.count()).isEqualTo(3);
        assertThat(examples.firstOf(0)).isZero();
        assertThat(examples.firstOf(1)).isZero();
        assertThat(examples.firstOf(2)).isEqualTo(2);
        assertThat(examples.firstOf(3)).isEqualTo(3);
        assertThat(examples.row(1)).isEqualTo(1);
        assertThat(examples.traceId(0)).isEqualTo(TRACE);
        assertThat(examples.spanId(0)).isEqualTo(SPAN);
        assertThat(examples.traceId(1)).isEqualTo(other);
        assertThat(examples.spanId(1)).isEqualTo("0100000000000000");
    }

    @Test
    void theBuilderWritesWhatIsRead() {
        BlockWriter built = sites();
        built.example(0, TRACE, SPAN).example(2, TRACE, SPAN);

        assertThat(built.write()).isEqualTo(with(of(0), of(2)).write());
    }

    @Test
    void damageIsNamed() {
        String noTrace = "0".repeat(32) + SPAN;
        String noSpan = TRACE + "0".repeat(16);
        refused(with(of(3)), "entry 0 of EXAMPLES names site 3 of 3");
        refused(with(of(0), of(-1)), "entry 1 of EXAMPLES names site 4294967295 of 3");
        refused(with(of(0), entry(1, 0, noTrace)), "entry 1 of EXAMPLES has an id of zeros");
        refused(with(entry(0, 0, noSpan)), "entry 0 of EXAMPLES has an id of zeros");
        refused(with(of(1), of(0)), "EXAMPLES has site 0 after a later one");
        refused(with(of(1), of(1), of(1), of(1)), "EXAMPLES has more than 3 of site 1");
        refused(
                sites().section(17, 2, of(0)),
                "section EXAMPLES has 2 entries of 32 bytes, but 32 bytes");
        refused(
                sites().section(17, Integer.MAX_VALUE, of(0)),
                "section EXAMPLES has 2147483647 entries of 32 bytes, but 32 bytes");
        BlockWriter withoutSites = new BlockWriter().section(17, 1, of(0));
        refused(withoutSites, "entry 0 of EXAMPLES names site 0 of 0");
    }

    @Test
    void examplesOfLaterVersionsAreSkipped() {
        BlockWriter later = sites().section(18, 1, of(77));

        assertThat(SnapshotDecoder.decode(later.write()).examples().count()).isZero();
    }
}
