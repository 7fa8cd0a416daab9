// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/** A working set of linked nodes; somebody asks for a collection, which has to walk through it. */
final class BigHeap implements Program {

    private final int nodes;
    private final boolean isCollected;
    private Node first = new Node(null);

    BigHeap(int nodes, boolean isCollected) {
        this.nodes = nodes;
        this.isCollected = isCollected;
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        for (int i = 0; i < nodes && running.getAsBoolean(); i++) {
            first = new Node(first);
        }
        if (isCollected) {
            System.gc();
        }
        while (running.getAsBoolean()) {
            for (int i = 0; i < 100; i++) {
                Sink.last = new byte[1024];
            }
            Thread.sleep(1);
        }
    }

    private static final class Node {

        final Node next;
        final long a = 1;
        final long b = 2;
        final long c = 3;
        final long d = 4;

        Node(Node next) {
            this.next = next;
        }
    }
}
