// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.holders.KnownHolders.Row;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of known classes against the classes of the JDK that runs the test. */
class KnownHoldersTest {

    private static final int FEATURE = Runtime.version().feature();

    /** Of a JDK between those of the table a row says nothing. */
    private static final Set<Integer> OF_TABLE = Set.of(17, 21, 25);

    private static final int CLASS = 7;
    private static final int UTF8 = 1;

    @Test
    void eachRowNamesAFieldOfTheJdksThatItSays() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Row row : KnownHolders.all()) {
            boolean isThere = fields(row.className()).contains(row.field());
            if (OF_TABLE.contains(FEATURE) && isThere != isExpected(row.jdks())) {
                wrong.add(row + (isThere ? " is there" : " is missing"));
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** So that some run of the tests checks each row. */
    @Test
    void eachRowIsAboutAJdkThatRunsThisTest() {
        for (Row row : KnownHolders.all()) {
            assertThat(row.jdks()).isIn("", "17", "21", "25", "17-21", "21-25");
        }
        assertThat(KnownHolders.all()).hasSizeGreaterThan(150);
    }

    private static boolean isExpected(String jdks) {
        if (jdks.isEmpty()) {
            return true;
        }
        String[] ends = jdks.split("-");
        return Integer.parseInt(ends[0]) <= FEATURE
                && FEATURE <= Integer.parseInt(ends[ends.length - 1]);
    }

    /** Reads the names of the fields; reflection hides those of ClassLoader. */
    private static Set<String> fields(String className) throws IOException {
        Set<String> names = new HashSet<>();
        String file = className.replace('.', '/') + ".class";
        try (InputStream stream = resource(file)) {
            if (stream == null) {
                return names;
            }
            DataInputStream in = new DataInputStream(stream);
            in.skipNBytes(8);
            String[] texts = constants(in);
            in.skipNBytes(6);
            in.skipNBytes(2L * in.readUnsignedShort());
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                in.skipNBytes(2);
                names.add(texts[in.readUnsignedShort()]);
                in.skipNBytes(2);
                for (int more = in.readUnsignedShort(); more > 0; more--) {
                    in.skipNBytes(2);
                    in.skipNBytes(in.readInt());
                }
            }
        }
        return names;
    }

    private static InputStream resource(String file) throws IOException {
        for (Module module : ModuleLayer.boot().modules()) {
            InputStream stream = module.getResourceAsStream(file);
            if (stream != null) {
                return stream;
            }
        }
        return ClassLoader.getPlatformClassLoader().getResourceAsStream(file);
    }

    private static String[] constants(DataInputStream in) throws IOException {
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case UTF8 -> texts[i] = in.readUTF();
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++;
                }
                case CLASS, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                default -> in.skipNBytes(4);
            }
        }
        return texts;
    }
}
