// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Writes to RocksDB and scans it; an iterator that stays open holds the tables of its time in
 * memory. Arguments: seconds, scans per second, {@code keep} (no iterator is closed) or {@code
 * close}.
 */
final class RocksLeak {

    private static final int ENTRIES_PER_SCAN = 1_000;
    private static final int KEYS = 50_000;
    private static final List<RocksIterator> OPEN = new ArrayList<>();

    private RocksLeak() {}

    public static void main(String... args) throws Exception {
        boolean keeps = args[2].equals("keep");
        Path directory = Files.createTempDirectory(Path.of(""), "rocks");
        byte[] value = Garbage.text(1_000).getBytes();
        // Never closed, as in a service: the iterators live as long as the JVM.
        Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(4 << 20);
        RocksDB db = RocksDB.open(options, directory.toString());
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(300);
                            write(db, number, value);
                            RocksIterator scan = scan(db);
                            if (keeps) {
                                OPEN.add(scan);
                            } else {
                                scan.close();
                            }
                        });
        System.out.println("iterators: " + OPEN.size());
    }

    private static void write(RocksDB db, int number, byte[] value) throws RocksDBException {
        for (int i = 0; i < ENTRIES_PER_SCAN; i++) {
            int key = (number * ENTRIES_PER_SCAN + i) % KEYS;
            db.put(ByteBuffer.allocate(Integer.BYTES).putInt(key).array(), value);
        }
    }

    private static RocksIterator scan(RocksDB db) {
        RocksIterator scan = db.newIterator();
        scan.seekToFirst();
        for (int i = 0; i < 100 && scan.isValid(); i++) {
            Garbage.sink = scan.value();
            scan.next();
        }
        return scan;
    }
}
