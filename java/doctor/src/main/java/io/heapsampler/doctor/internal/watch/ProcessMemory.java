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

    /** Returns the resident memory at the last refresh, in bytes; −1 if it is not known. */
    long resident() {
        return bytes(RESIDENT);
    }

    /** Returns the pages of files among it, in bytes; −1 if they are not known. */
    long residentFile() {
        return bytes(FILE);
    }

    private long bytes(byte[] key) {
        for (int at = 0; at + key.length < length; at++) {
            int end = at + key.length;
            if ((at == 0 || text[at - 1] == '\n')
                    && Arrays.equals(text, at, end, key, 0, key.length)) {
                return kibibytes(end) * 1024;
            }
        }
        return -1;
    }

    /** Reads the number in the rest of a line. */
    private long kibibytes(int from) {
        long number = 0;
        for (int i = from; i < length && text[i] != '\n'; i++) {
            number = Character.isDigit(text[i]) ? number * 10 + text[i] - '0' : number;
        }
        return number;
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
