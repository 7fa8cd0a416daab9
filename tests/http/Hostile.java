// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Attacks a server on this machine with many clients of one kind, which come again when the server
 * disconnects them, and measures an honest client meanwhile. Prints one row of a table. See
 * tests/http/hostile.
 */
class Hostile {

    private static final String USAGE =
            "usage: java Hostile.java <port> <token or -> <kind> <clients> <seconds>";
    private static final int TICK_MILLIS = 100;
    private static final int WARM_UP = 20;
    private static final int TICKS_A_BYTE = 10;
    private static final byte[] DRIBBLE = {'a'};
    private static final byte[] FLOOD = "a".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);

    private final int port;
    private final String token;
    private final Kind kind;
    private final List<Client> clients = new ArrayList<>();
    private volatile int connections; // written by the attacker alone
    private volatile boolean isOver;

    /** The bytes that a client sends at once, and what it sends after that. */
    private enum Kind {
        /** Sends nothing. */
        SILENT("", null),
        /** Sends a header that never ends, a byte a second. */
        HEADERS("GET /debug/pprof/ HTTP/1.1\r\nHost: localhost\r\nX-A: ", DRIBBLE),
        /** The same as fast as it can. */
        GIANT("GET /debug/pprof/ HTTP/1.1\r\nHost: localhost\r\nX-A: ", FLOOD),
        /** Sends the form of its own page, a byte a second. */
        POSTS(post("http://localhost", "%s"), DRIBBLE),
        /** The same without the token, as a page of another origin. */
        STRANGERS(post("http://evil.example", ""), DRIBBLE),
        /** Sends a form of 10 MB. */
        FORMS(post("http://localhost", "%s").replace(": 1000", ": 10000000"), FLOOD),
        /** Requests a large answer and does not read it. */
        UNREAD(get("/debug/pprof/heap?debug=1"), null),
        /** Sends 50 requests in a row and reads no answer. */
        PIPELINES(get("/debug/heapsampler/metrics").repeat(50), null),
        /** Leaves as soon as its request is sent. */
        LEAVERS(get("/debug/heapsampler/flame.html"), new byte[0]);

        private final String first;
        private final byte[] next;

        Kind(String first, byte[] next) {
            this.first = first;
            this.next = next;
        }

        private static String get(String target) {
            return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n%s\r\n";
        }

        private static String post(String origin, String authorization) {
            return "POST /debug/heapsampler/gc HTTP/1.1\r\nHost: localhost\r\nOrigin: "
                    + origin
                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                    + "Content-Length: 1000\r\n"
                    + authorization
                    + "\r\n";
        }
    }

    /** One connection after the other. */
    private final class Client {
        private SocketChannel channel;
        private ByteBuffer rest = ByteBuffer.allocate(0);

        private void tick(int tick) {
            try {
                if (channel == null) {
                    connect();
                } else if (isDisconnected()) {
                    leave();
                } else if (rest.hasRemaining()) {
                    channel.write(rest);
                } else if (kind == Kind.LEAVERS) {
                    leave();
                } else if (kind.next != null
                        && (kind.next != DRIBBLE || tick % TICKS_A_BYTE == 0)) {
                    rest = ByteBuffer.wrap(kind.next);
                    channel.write(rest);
                }
            } catch (IOException e) {
                leave();
            }
        }

        private void connect() throws IOException {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.configureBlocking(false);
            String header = token.equals("-") ? "" : "Authorization: Bearer " + token + "\r\n";
            String first = kind.first.replace("%s", header);
            rest = ByteBuffer.wrap(first.getBytes(StandardCharsets.US_ASCII));
            channel.write(rest);
            connections++;
        }

        /** Those who read nothing learn it when they write. */
        private boolean isDisconnected() throws IOException {
            if (kind == Kind.UNREAD || kind == Kind.PIPELINES) {
                return false;
            }
            return channel.read(ByteBuffer.allocate(1024)) < 0;
        }

        private void leave() {
            try {
                channel.close();
            } catch (IOException e) {
                // It is closed.
            }
            channel = null;
        }
    }

    private Hostile(String[] args) {
        port = Integer.parseInt(args[0]);
        token = args[1];
        kind = Kind.valueOf(args[2].toUpperCase());
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            clients.add(new Client());
        }
    }

    private void attack() {
        for (int tick = 0; !isOver; tick++) {
            for (Client client : clients) {
                client.tick(tick);
            }
            try {
                Thread.sleep(TICK_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Waits until each client has connected once. */
    private void awaitClients() throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (connections < clients.size()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "only " + connections + " of " + clients.size() + " clients connected");
            }
            Thread.sleep(TICK_MILLIS);
        }
    }

    /** Requests the status again and again, each time over a new connection. */
    private void measure(int seconds) throws InterruptedException {
        List<Long> millis = new ArrayList<>();
        int refused = 0;
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        while (System.nanoTime() < end) {
            long begin = System.nanoTime();
            refused += isServed() ? 0 : 1;
            millis.add(Duration.ofNanos(System.nanoTime() - begin).toMillis());
            Thread.sleep(TICK_MILLIS);
        }
        millis.sort(null);
        System.out.printf(
                "| %d %s | %d | %d | %d | %d ms | %d ms |%n",
                clients.size(),
                kind.name().toLowerCase(),
                connections,
                millis.size(),
                refused,
                millis.get(millis.size() / 2),
                millis.get(millis.size() - 1));
    }

    private boolean isServed() throws InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/debug/heapsampler/metrics"));
        request.timeout(Duration.ofSeconds(100));
        if (!token.equals("-")) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpRequest http1 = request.version(HttpClient.Version.HTTP_1_1).build();
            return HttpClient.newHttpClient()
                            .send(http1, HttpResponse.BodyHandlers.ofByteArray())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 5) {
            System.err.println(USAGE);
            System.exit(2);
        }
        Hostile hostile = new Hostile(args);
        for (int i = 0; i < WARM_UP; i++) {
            hostile.isServed();
        }
        Thread attacker = new Thread(hostile::attack, "attacker");
        attacker.setDaemon(true);
        attacker.start();
        hostile.awaitClients();
        hostile.measure(Integer.parseInt(args[4]));
        hostile.isOver = true;
        attacker.join();
        System.exit(0);
    }
}
