// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Ends a file as soon as it would be larger than the room that is left. For one thread. */
final class LimitedOutput extends FilterOutputStream {

    private final List<Room> rooms;
    private long written;

    LimitedOutput(OutputStream out, List<Room> rooms) {
        super(out);
        this.rooms = rooms;
    }

    /** The file would be too large. */
    static final class FullException extends IOException {

        private static final long serialVersionUID = 1L;

        private final String why;

        FullException(String setting) {
            super(setting);
            this.why = "with it, files would be larger than " + setting + " allows";
        }

        String why() {
            return why;
        }
    }

    @Override
    public void write(int b) throws IOException {
        take(1);
        out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        take(length);
        out.write(bytes, offset, length);
    }

    private void take(int bytes) throws FullException {
        for (int i = 0; i < rooms.size(); i++) {
            if (!rooms.get(i).take(bytes)) {
                rooms.subList(0, i).forEach(room -> room.giveBack(bytes));
                throw new FullException(rooms.get(i).setting());
            }
        }
        written += bytes;
    }

    /** Leaves the room to others: the file is deleted. */
    void giveBack() {
        rooms.forEach(room -> room.giveBack(written));
        written = 0;
    }
}
