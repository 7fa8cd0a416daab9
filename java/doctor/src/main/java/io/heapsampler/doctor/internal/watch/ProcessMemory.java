// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/**
 * The resident memory of this process, as reported by Linux. Reading allocates nothing. Not safe
 * for use by many threads.
 */
final class ProcessMemory implements AutoCloseable {

    private static final byte[] RESIDENT = {'V', 'm', 'R', 'S', 'S', ':'};
    private static final byte[] FILE = {'R', 's', 's', 'F', 'i', 'l', 'e', ':'};

    private final @Nullable RandomAccessFile status;
    private final byte[] text = new byte[4096];
    private int length;

    ProcessMemory() {
        this("/proc/self/status");
    }

    ProcessMemory(String path) {
        this.status = open(path);
    }

    private static @Nullable RandomAccessFile open(String path) {
        try {
            return new RandomAccessFile(path, "r");
        } catch (IOException e) {
            return null;
        }
    }

    /** Reads anew. */
    void refresh() {
        length = 0;
        if (status == null) {
            return;
        }
        try {
            status.seek(0);
            for (int n; length < text.length; length += n) {
                n = status.read(text, length, text.length - length);
                if (n <= 0) {
                    break;
                }
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
            if ((at == 0 || text[at - 1] == '\n') && startsWith(key, at)) {
                return kibibytes(at + key.length) * 1024;
            }
        }
        return -1;
    }

    private boolean startsWith(byte[] key, int at) {
        for (int i = 0; i < key.length; i++) {
            if (text[at + i] != key[i]) {
                return false;
            }
        }
        return true;
    }

    private long kibibytes(int from) {
        int at = from;
        while (at < length && (text[at] == ' ' || text[at] == '\t')) {
            at++;
        }
        long number = 0;
        while (at < length && text[at] >= '0' && text[at] <= '9') {
            number = number * 10 + text[at++] - '0';
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
