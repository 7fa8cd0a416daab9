// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Healthy: a journal is written to files that Agrona maps into memory; the last eight stay mapped,
 * so that the process grows by their pages, and by nothing else.
 */
public final class AgronaMapped {

    private static final int RECORDS_A_SECOND = 8_000;

    private static final int RECORD = 1_024;

    private static final int FILE = 32 << 20;

    private static final int MAPPED = 8;

    private static long sum;

    private final Deque<MappedByteBuffer> files = new ArrayDeque<>();

    private UnsafeBuffer journal;

    private int next = FILE;

    private void roll() throws IOException {
        File file = File.createTempFile("journal", ".dat");
        if (!file.delete()) {
            throw new IOException("cannot delete " + file);
        }
        MappedByteBuffer mapped = IoUtil.mapNewFile(file, FILE);
        if (!file.delete()) {
            throw new IOException("cannot delete " + file);
        }
        files.add(mapped);
        if (files.size() > MAPPED) {
            IoUtil.unmap(files.poll());
        }
        journal = new UnsafeBuffer(mapped);
        next = 0;
    }

    private void write(int number) throws IOException {
        if (next + RECORD > FILE) {
            roll();
        }
        byte[] text = ("record " + number + " of the journal").getBytes(StandardCharsets.UTF_8);
        journal.putInt(next, text.length);
        journal.putBytes(next + Integer.BYTES, text);
        next += RECORD;
        Iterator<MappedByteBuffer> oldest = files.iterator();
        sum += oldest.next().get(number % FILE);
    }

    public static void main(String... args) {
        AgronaMapped service = new AgronaMapped();
        Load.at(RECORDS_A_SECOND, args, service::write);
        System.out.println("sum " + sum);
    }
}
