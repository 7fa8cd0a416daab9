// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

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
import org.jspecify.annotations.Nullable;

/**
 * The counters that the JVM keeps in a file for {@code jstat}, read from within: the times of
 * safepoints, to the nanosecond, and the processor time of the collector's threads. No bean has
 * them. A value costs a read of eight bytes. Not safe for use by many threads.
 *
 * <p>The file is missing with {@code -XX:-UsePerfData} and {@code -XX:+PerfDisableSharedMem}; all
 * is −1 then.
 */
final class PerfData implements AutoCloseable {

    static final String SAFEPOINT = "sun.rt.safepointTime";
    static final String SAFEPOINT_SYNC = "sun.rt.safepointSyncTime";
    static final String GC_CPU = "sun.threads.total_gc_cpu_time";

    /** Remark and cleanup pauses of G1, which JDK 17 to 19 do not notify. */
    static final String G1_MARKINGS = "sun.gc.collector.2.invocations";

    private static final String FREQUENCY = "sun.os.hrt.frequency";
    static final String BEGAN = "sun.rt.createVmBeginTime";

    private static final int MAGIC = 0xcafec0c0;
    private static final int LARGEST = 1 << 20;

    /** Bytes of the beginning of the file, and of the beginning of an entry. */
    private static final int PROLOGUE = 32;

    private static final int ENTRY = 20;

    /** A file of an earlier process of this number began at another time. */
    private static final long SAME_MILLIS = 10_000;

    private final RandomAccessFile file;
    private final boolean bigEndian;
    private final Map<String, Integer> offsets;
    private final double ticksPerMilli;

    private PerfData(RandomAccessFile file, boolean bigEndian, Map<String, Integer> offsets)
            throws IOException {
        this.file = file;
        this.bigEndian = bigEndian;
        this.offsets = offsets;
        long frequency = value(FREQUENCY);
        this.ticksPerMilli = frequency > 0 ? frequency / 1000.0 : 1_000_000.0;
    }

    /**
     * Opens the file of this process.
     *
     * @param vmStartMillis when the JVM started, milliseconds since 1970
     * @return null if there is none that can be understood
     */
    static @Nullable PerfData ofThisJvm(long vmStartMillis) {
        Path path =
                Path.of(
                        "/tmp",
                        "hsperfdata_" + System.getProperty("user.name"),
                        Long.toString(ProcessHandle.current().pid()));
        return open(path, vmStartMillis);
    }

    static @Nullable PerfData open(Path path, long vmStartMillis) {
        RandomAccessFile file = null;
        try {
            if (!isOwnFile(path)) {
                return null;
            }
            file = new RandomAccessFile(path.toFile(), "r");
            PerfData data = read(file, Files.readAllBytes(path));
            if (data != null && data.isOf(vmStartMillis)) {
                return data;
            }
        } catch (IOException | RuntimeException e) {
            // No file, or not one of these: there is nothing to read.
        }
        close(file);
        return null;
    }

    /** The JVM writes down when it began once the agents of its command line have begun. */
    private boolean isOf(long vmStartMillis) throws IOException {
        long began = value(BEGAN);
        return began == 0 || Math.abs(began - vmStartMillis) < SAME_MILLIS;
    }

    /**
     * All users may write to /tmp. Another user could have made the folder, and in it a pipe, which
     * blocks the thread that opens it, or a file with false figures.
     */
    private static boolean isOwnFile(Path path) throws IOException {
        UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
        Path folder = path.toAbsolutePath().getParent();
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && Files.size(path) <= LARGEST
                && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(self)
                && folder != null
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(self);
    }

    private static @Nullable PerfData read(RandomAccessFile file, byte[] bytes) throws IOException {
        if (bytes.length < PROLOGUE || bytes.length > LARGEST) {
            return null;
        }
        ByteBuffer all = ByteBuffer.wrap(bytes);
        boolean bigEndian = bytes[4] == 0;
        if (all.getInt(0) != MAGIC || bytes[5] != 2) {
            return null;
        }
        all.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        return new PerfData(file, bigEndian, offsets(all));
    }

    /** Returns where the numbers are, by name. */
    private static Map<String, Integer> offsets(ByteBuffer all) {
        Map<String, Integer> offsets = new HashMap<>();
        int at = all.getInt(24);
        int count = all.getInt(28);
        for (int i = 0; i < count && at + ENTRY <= all.capacity(); i++) {
            boolean isNumber = all.get(at + 12) == 'J' && all.getInt(at + 8) == 0;
            String name = name(all, at + all.getInt(at + 4));
            if (isNumber && isWanted(name)) {
                offsets.put(name, at + all.getInt(at + 16));
            }
            int length = all.getInt(at);
            if (length <= 0) {
                break;
            }
            at += length;
        }
        return offsets;
    }

    private static String name(ByteBuffer all, int from) {
        int end = from;
        while (end < all.capacity() && all.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - from];
        all.get(from, name);
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static boolean isWanted(String name) {
        return switch (name) {
            case SAFEPOINT, SAFEPOINT_SYNC, GC_CPU, G1_MARKINGS, FREQUENCY, BEGAN -> true;
            default -> false;
        };
    }

    private long value(String name) throws IOException {
        Integer offset = offsets.get(name);
        if (offset == null) {
            return -1;
        }
        file.seek(offset);
        long value = file.readLong();
        return bigEndian ? value : Long.reverseBytes(value);
    }

    /** Returns a counter of ticks in milliseconds, −1 if there is none. */
    double millis(String name) {
        return divided(name, ticksPerMilli);
    }

    /** Returns a counter of nanoseconds in milliseconds, −1 if there is none. */
    double nanosAsMillis(String name) {
        return divided(name, 1_000_000);
    }

    /** Returns a counter as it is, −1 if there is none. */
    long count(String name) {
        try {
            return value(name);
        } catch (IOException e) {
            return -1;
        }
    }

    private double divided(String name, double by) {
        try {
            long value = value(name);
            return value < 0 ? -1 : value / by;
        } catch (IOException e) {
            return -1;
        }
    }

    @Override
    public void close() {
        close(file);
    }

    private static void close(@Nullable RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // It was only read.
        }
    }
}
