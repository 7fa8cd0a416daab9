// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Keeps an archive entry with an Inflater that it never ends, for each request. Arguments: seconds,
 * entries per second.
 */
final class InflateLeak {

    private static final List<Entry> ENTRIES = new ArrayList<>();

    private InflateLeak() {}

    /** An entry that is read from time to time. */
    private static final class Entry {

        private final Inflater inflater = new Inflater();

        int read(byte[] packed) throws DataFormatException {
            inflater.setInput(packed);
            return inflater.inflate(new byte[60_000]);
        }
    }

    public static void main(String... args) {
        Deflater deflater = new Deflater();
        deflater.setInput(Garbage.text(100_000).getBytes());
        deflater.finish();
        byte[] packed = new byte[100_000];
        deflater.deflate(packed);
        deflater.end();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(100);
                            Entry entry = new Entry();
                            ENTRIES.add(entry);
                            Garbage.sink = entry.read(packed);
                        });
        System.out.println("entries: " + ENTRIES.size());
    }
}
