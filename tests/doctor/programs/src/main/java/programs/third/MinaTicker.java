// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;
import programs.more.Load;

/**
 * Faulty: a ticker sends each update to all of its clients in a direct buffer; one client reads
 * slowly, and its MINA session queues the unread updates without a limit.
 */
public final class MinaTicker {

    private static final int UPDATES = 1_500;

    private static final int SIZE = 80 << 10;

    private static final int SOCKET_BUFFER = 64 << 10;

    private static final AtomicLong READ = new AtomicLong();

    private static final NioSocketAcceptor ACCEPTOR = new NioSocketAcceptor(1);

    private MinaTicker() {}

    /** Connects a client that reads a part, then pauses. */
    private static void connect(int part, long pauseMillis) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(SOCKET_BUFFER);
        socket.connect(ACCEPTOR.getLocalAddress());
        InputStream in = socket.getInputStream();
        Thread reader =
                new Thread(
                        () -> {
                            byte[] buffer = new byte[part];
                            try {
                                for (int read = 0; read >= 0; read = in.read(buffer)) {
                                    READ.addAndGet(read);
                                    LockSupport.parkNanos(
                                            TimeUnit.MILLISECONDS.toNanos(pauseMillis));
                                }
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        "client");
        reader.setDaemon(true);
        reader.start();
    }

    private static IoBuffer encode(int number) {
        StringBuilder prices = new StringBuilder();
        for (int i = 0; prices.length() < SIZE - 100; i++) {
            prices.append("share ").append(i).append(" costs ").append(number + i).append('\n');
        }
        IoBuffer buffer = IoBuffer.allocate(SIZE, true);
        buffer.put(prices.toString().getBytes(StandardCharsets.ISO_8859_1));
        return buffer.flip();
    }

    private static void update(int number) {
        IoBuffer buffer = encode(number);
        for (IoSession session : ACCEPTOR.getManagedSessions().values()) {
            session.write(buffer.duplicate());
        }
    }

    private static long queued() {
        return ACCEPTOR.getManagedSessions().values().stream()
                .mapToLong(IoSession::getScheduledWriteBytes)
                .sum();
    }

    public static void main(String... args) throws IOException {
        ACCEPTOR.setHandler(new IoHandlerAdapter());
        ACCEPTOR.getSessionConfig().setSendBufferSize(SOCKET_BUFFER);
        ACCEPTOR.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        for (int i = 0; i < 3; i++) {
            connect(SIZE, 0);
        }
        connect(SIZE / 10, 500);
        Load.spread(UPDATES, args, MinaTicker::update);
        System.out.println("read " + READ + ", queued " + queued());
        System.exit(0);
    }
}
