// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counters that the JVM keeps in a file for {@code jstat}, read from within: no bean has them.
 * A value costs a read of eight bytes. Not safe for use by many threads.
 *
 * <p>The file is missing with {@code -XX:-UsePerfData} and {@code -XX:+PerfDisableSharedMem}.
 */
final class PerfData implements AutoCloseable {

    /** The time that threads took to reach safepoints; on Linux in nanoseconds. */
    static final String SAFEPOINT_SYNC = "sun.rt.safepointSyncTime";

    /** Remark and cleanup pauses of G1, which JDK 17 to 19 do not notify. */
    static final String G1_MARKINGS = "sun.gc.collector.2.invocations";

    /** The JVM writes down when it began once the agents of its command line have begun. */
    static final String BEGAN = "sun.rt.createVmBeginTime";

    private static final Set<String> USED = Set.of(SAFEPOINT_SYNC, G1_MARKINGS, BEGAN);

    private static final Path SELF = Path.of("/proc/self");

    private static final int LARGEST = 1 << 20;
    private static final int HEADER = 20; // Bytes of an entry before its name.

    private final RandomAccessFile file;
    private final Map<String, Integer> offsets;
    private final byte[] number = new byte[Long.BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(number).order(ByteOrder.nativeOrder());

    private PerfData(RandomAccessFile file, Map<String, Integer> offsets) {
        this.file = file;
        this.offsets = offsets;
    }

    /** Opens the file of this process; null if there is none that can be understood. */
    static @Nullable PerfData ofThisJvm(long vmStartMillis) {
        String folder = "hsperfdata_" + System.getProperty("user.name");
        try {
            // The link is the number of the process. Its handle would come with an executor.
            Path id = Files.readSymbolicLink(SELF);
            return open(Path.of("/tmp", folder, id.toString()), vmStartMillis);
        } catch (IOException e) {
            return null; // Not Linux.
        }
    }

    static @Nullable PerfData open(Path path, long vmStartMillis) {
        try {
            if (isOwnFile(path)) {
                Map<String, Integer> offsets = offsets(Files.readAllBytes(path));
                PerfData data = new PerfData(new RandomAccessFile(path.toFile(), "r"), offsets);
                long began = data.count(BEGAN); // Of an earlier process of this number: elsewhen.
                if (began == 0 || Math.abs(began - vmStartMillis) < 10_000) {
                    return data;
                }
                data.close();
            }
        } catch (IOException | RuntimeException e) {
            return null; // No file, or not one of these: there is nothing to read.
        }
        return null;
    }

    /**
     * All users may write to /tmp. Another user could have made the folder, and in it a pipe, which
     * blocks the thread that opens it, or a file with false figures.
     */
    private static boolean isOwnFile(Path path) throws IOException {
        UserPrincipal self = Files.getOwner(SELF);
        Path folder = path.toAbsolutePath().getParent();
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && Files.size(path) <= LARGEST
                && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(self)
                && folder != null
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(self);
    }

    /** Returns where the numbers are, by name. The JVM writes them in its own byte order. */
    private static Map<String, Integer> offsets(byte[] bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        if (all.getInt(0) != 0xcafec0c0 || all.get(5) != 2) {
            throw new IOException("no counters");
        }
        all.order(ByteOrder.nativeOrder());
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        Map<String, Integer> offsets = new HashMap<>();
        for (String name : USED) {
            int entry = text.indexOf(name + '\0') - HEADER;
            boolean isEntry = entry >= 0 && all.getInt(entry + 4) == HEADER;
            if (isEntry && all.getInt(entry + 8) == 0 && all.get(entry + 12) == 'J') {
                offsets.put(name, entry + all.getInt(entry + 16));
            }
        }
        return offsets;
    }

    /** Returns a counter as it is, −1 if there is none. */
    long count(String name) {
        Integer offset = offsets.get(name);
        try {
            if (offset != null) {
                file.seek(offset);
                file.readFully(number);
            }
            return offset == null ? -1 : Math.max(-1, buffer.getLong(0));
        } catch (IOException e) {
            return -1; // The file is shorter than it says.
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // It was only read.
        }
    }
}
