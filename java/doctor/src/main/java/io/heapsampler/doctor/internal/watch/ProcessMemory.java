// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The resident memory of this process, as reported by Linux. Reading allocates nothing. */
final class ProcessMemory implements AutoCloseable {

    private static final byte[] RESIDENT = {'V', 'm', 'R', 'S', 'S', ':'};
    private static final byte[] FILE = {'R', 's', 's', 'F', 'i', 'l', 'e', ':'};

    private static final byte[] SHARED = {'R', 's', 's', 'S', 'h', 'm', 'e', 'm', ':'};

    private @Nullable RandomAccessFile status;
    private final byte[] text = new byte[4096];
    private int length;

    ProcessMemory() {
        this("/proc/self/status");
    }

    ProcessMemory(String path) {
        try {
            status = new RandomAccessFile(path, "r");
        } catch (IOException e) {
            status = null;
        }
    }

    /** Reads anew. The file comes in one piece. */
    void refresh() {
        try {
            length = 0;
            if (status != null) {
                status.seek(0);
                length = Math.max(0, status.read(text));
            }
        } catch (IOException e) {
            length = 0;
        }
    }

    /** Returns the memory at the last refresh, in bytes; −1 if it is not known. */
    long resident() {
        return bytes(RESIDENT);
    }

    /** Returns the pages of files among it. */
    long residentFile() {
        return bytes(FILE);
    }

    /** Returns the shared memory among it, such as the heap of ZGC. */
    long residentShared() {
        return bytes(SHARED);
    }

    /** Returns the number in the line that begins so, as bytes. */
    private long bytes(byte[] key) {
        int line = 0;
        while (line + key.length < length) {
            boolean isIt = Arrays.equals(text, line, line + key.length, key, 0, key.length);
            long number = 0;
            for (; line < length && text[line] != '\n'; line++) {
                number = Character.isDigit(text[line]) ? number * 10 + text[line] - '0' : number;
            }
            if (isIt) {
                return number * 1024;
            }
            line++;
        }
        return -1;
    }

    @Override
    public void close() {
        try {
            if (status != null) {
                status.close();
            }
        } catch (IOException e) {
            // It was only read.
        }
    }
}
