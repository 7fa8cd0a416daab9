// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Bytes in memory, up to a limit. */
final class BoundedBytes extends OutputStream {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final long most;

    BoundedBytes(long most) {
        this.most = most;
    }

    /** The limit is reached. */
    static final class TooLarge extends IOException {

        private static final long serialVersionUID = 1L;

        TooLarge(long most) {
            super("more than " + most + " bytes");
        }
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        if (bytes.size() + (long) length > most) {
            throw new TooLarge(most);
        }
        bytes.write(source, offset, length);
    }

    byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
