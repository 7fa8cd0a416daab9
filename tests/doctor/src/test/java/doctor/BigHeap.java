// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/**
 * A working set of linked nodes; the program requests a collection, which has to walk through it.
 */
final class BigHeap implements Program {

    private final int nodes;
    private Node first = new Node(null);

    BigHeap(int nodes) {
        this.nodes = nodes;
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        for (int i = 0; i < nodes && running.getAsBoolean(); i++) {
            first = new Node(first);
        }
        System.gc();
        while (running.getAsBoolean()) {
            for (int i = 0; i < 100; i++) {
                Sink.last = new byte[1024];
            }
            Thread.sleep(1);
        }
    }

    /** Of 48 bytes. */
    private static final class Node {

        private final Node next;
        private final long[] padding = null;
        private final long a = 1;
        private final long b = 2;
        private final long c = 3;

        Node(Node next) {
            this.next = next;
        }

        @Override
        public String toString() {
            return next + " " + padding + a + b + c;
        }
    }
}
