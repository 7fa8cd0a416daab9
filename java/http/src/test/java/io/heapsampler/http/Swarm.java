// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hostile clients. Each sends the beginning of a request and no more, and comes again when the
 * server disconnects it.
 */
final class Swarm implements AutoCloseable {

    private static final int TICK_MILLIS = 100;

    private final InetSocketAddress server;
    private final byte[] begin;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "swarm");
    private volatile boolean isOver;
    private final AtomicInteger comeAgain = new AtomicInteger();

    /** All of them have sent their beginning when this returns. */
    Swarm(int clients, int port, byte[] begin) throws IOException {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.begin = begin.clone();
        for (int i = 0; i < clients; i++) {
            channels.add(connect());
        }
        thread.start();
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        channel.connect(server);
        channel.configureBlocking(false);
        channel.write(ByteBuffer.wrap(begin));
        return channel;
    }

    private static boolean isDisconnected(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1024)) < 0;
        } catch (IOException e) {
            return true; // Reset.
        }
    }

    private void run() {
        try {
            while (!isOver) {
                for (int i = 0; i < channels.size(); i++) {
                    if (isDisconnected(channels.get(i))) {
                        channels.get(i).close();
                        channels.set(i, connect());
                        comeAgain.incrementAndGet();
                    }
                }
                Thread.sleep(TICK_MILLIS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How often a client has connected again. */
    int comeAgain() {
        return comeAgain.get();
    }

    @Override
    public void close() throws IOException {
        isOver = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
