// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resident memory of this process and of its Java heap, as reported by Linux. The heap of ZGC
 * is shared memory. The pages of any other heap are counted in the page map, if the heap lies where
 * HotSpot puts those with compressed pointers. Counting takes about 12 ms for each GiB. Not safe
 * for use by many threads.
 */
final class ResidentMemory implements AutoCloseable {

    /** HotSpot's heaps with compressed pointers end below, libraries and stacks begin above. */
    private static final long LOW = 1L << 38;

    /** An entry of the page map; its highest bit is set if the page is resident. */
    private static final int ENTRY = 8;

    private static final int PAGE_SIZE = 6; // AT_PAGESZ of the auxiliary vector
    private static final boolean IS_BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private final byte[] entries = new byte[8192]; // From more the JDK would copy through malloc.
    private final Path folder;
    private final Path status;
    private final long size; // of the heap, at most
    private String text = "";
    private @Nullable RandomAccessFile map;
    private boolean isShared;
    private long begin = -1;
    private long pageSize;

    /** Of a process in /proc: the largest size of its heap, and what is committed of it. */
    ResidentMemory(Path process, long maxHeap, long committed) {
        this.folder = process;
        this.status = process.resolve("status");
        this.size = maxHeap;
        locate(committed);
    }

    /**
     * Looks for the heap where it is not known yet. It is not found while it shrinks: then less of
     * it is writable than was committed.
     */
    void locate(long committed) {
        if (isShared || map != null) {
            return;
        }
        try {
            List<String> mappings = Files.readAllLines(folder.resolve("maps"), ISO_8859_1);
            isShared = mappings.stream().anyMatch(line -> line.contains("/memfd:java_heap"));
            begin = isShared ? -1 : find(mappings, size, committed);
            pageSize = pageSize(Files.readAllBytes(folder.resolve("auxv")));
            if (begin >= 0 && pageSize > 0) {
                map = new RandomAccessFile(folder.resolve("pagemap").toFile(), "r");
            }
        } catch (IOException e) {
            map = null; // Not Linux, or hidden.
        }
    }

    /**
     * Returns where the heap begins: at the first mapping that, with the adjacent ones, has the
     * heap's largest size, of which as much is writable as is committed; −1 if none has.
     */
    private static long find(List<String> mappings, long maxHeap, long committed) {
        for (int i = 0; i < mappings.size(); i++) {
            long first = begin(mappings.get(i));
            long end = first;
            long writable = 0;
            for (int j = i; j < mappings.size() && begin(mappings.get(j)) == end; j++) {
                String line = mappings.get(j);
                end = Math.min(end(line), first + maxHeap);
                writable += line.contains(" rw") ? end - begin(line) : 0;
                if (end == first + maxHeap) {
                    break;
                }
            }
            if (end == first + maxHeap && end <= LOW && writable >= committed) {
                return first;
            }
        }
        return -1;
    }

    private static long begin(String line) {
        return Long.parseUnsignedLong(line, 0, line.indexOf('-'), 16);
    }

    private static long end(String line) {
        return Long.parseUnsignedLong(line, line.indexOf('-') + 1, line.indexOf(' '), 16);
    }

    private static long pageSize(byte[] vector) {
        ByteBuffer pairs = ByteBuffer.wrap(vector).order(ByteOrder.nativeOrder());
        while (pairs.remaining() >= 2 * Long.BYTES) {
            long key = pairs.getLong();
            long value = pairs.getLong();
            if (key == PAGE_SIZE) {
                return value;
            }
        }
        return -1;
    }

    /** Reads anew. */
    void refresh() {
        try {
            text = "\n" + Files.readString(status, ISO_8859_1);
        } catch (IOException e) {
            text = ""; // Not Linux, or no file left to open.
        }
    }

    /** Returns the memory at the last refresh, in bytes; −1 if it is not known. */
    long all() {
        return bytes("\nVmRSS:");
    }

    /** Returns the pages of files among it. */
    long files() {
        return bytes("\nRssFile:");
    }

    private long bytes(String key) {
        int at = text.indexOf(key);
        int end = text.indexOf(" kB", at);
        return at < 0 || end < 0
                ? -1
                : Long.parseLong(text.substring(at + key.length(), end).strip()) * 1024;
    }

    /** Returns the bytes of the heap that are resident now; −1 if they cannot be counted. */
    long heap() {
        return isShared ? bytes("\nRssShmem:") : count(map);
    }

    private long count(@Nullable RandomAccessFile in) {
        if (in == null) {
            return -1;
        }
        long pages = 0;
        try {
            in.seek(begin / pageSize * ENTRY);
            for (long left = size / pageSize * ENTRY; left > 0; ) {
                int length = in.read(entries, 0, (int) Math.min(left, entries.length));
                if (length <= 0) {
                    return -1;
                }
                for (int i = IS_BIG_ENDIAN ? 0 : ENTRY - 1; i < length; i += ENTRY) {
                    pages += entries[i] < 0 ? 1 : 0;
                }
                left -= length;
            }
        } catch (IOException e) {
            return -1;
        }
        return pages * pageSize;
    }

    @Override
    public void close() {
        try {
            if (map != null) {
                map.close();
            }
        } catch (IOException e) {
            // It was only read.
        }
    }
}
