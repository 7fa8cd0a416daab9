// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.lsp4j.jsonrpc.Endpoint;
import org.eclipse.lsp4j.jsonrpc.RemoteEndpoint;
import org.eclipse.lsp4j.jsonrpc.json.JsonRpcMethod;
import org.eclipse.lsp4j.jsonrpc.json.MessageJsonHandler;
import org.eclipse.lsp4j.jsonrpc.messages.Message;
import org.eclipse.lsp4j.jsonrpc.messages.RequestMessage;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseMessage;
import programs.more.Load;

/**
 * Faulty: an editor sends files to a checker by JSON-RPC. The checker does not answer one request
 * in four, and the endpoint of LSP4J keeps these requests in its map of pending requests.
 */
public final class LostAnswers {

    private static final int CHECKS = 54_000;

    private static final LostAnswers EDITOR = new LostAnswers();

    /** Of the wire's thread. */
    private long sent;

    /** Of the wire's thread. */
    private int answered;

    private final MessageJsonHandler json =
            new MessageJsonHandler(
                    Map.of("check", JsonRpcMethod.request("check", String.class, Source.class)));

    private final ExecutorService wire = Executors.newSingleThreadExecutor();

    private final RemoteEndpoint checker =
            new RemoteEndpoint(
                    message -> wire.execute(() -> transfer(message)),
                    new Endpoint() {
                        @Override
                        public CompletableFuture<?> request(String method, Object parameter) {
                            return CompletableFuture.failedFuture(
                                    new UnsupportedOperationException(method));
                        }

                        @Override
                        public void notify(String method, Object parameter) {}
                    });

    /** The parameter of a request. */
    private static final class Source {
        private final String file;

        private final int number;

        private final String text;

        Source(int number, String text) {
            this.file = "file:///src/Order" + number + ".java";
            this.number = number;
            this.text = text;
        }
    }

    private static Source source(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append("    int value")
                    .append(i)
                    .append(" = compute(")
                    .append(number)
                    .append(");\n");
        }
        return new Source(number, text.toString());
    }

    private void transfer(Message message) {
        sent += json.serialize(message).length();
        RequestMessage request = (RequestMessage) message;
        Source source = (Source) request.getParams();
        if (source.number % 4 == 0) {
            return;
        }
        ResponseMessage response = new ResponseMessage();
        response.setId(request.getId());
        response.setResult("no error in " + source.file);
        checker.consume(response);
        answered++;
    }

    private CompletableFuture<Object> check(int number) {
        return checker.request("check", source(number));
    }

    public static void main(String... args) throws InterruptedException {
        Load.spread(CHECKS, args, EDITOR::check);
        EDITOR.wire.shutdown();
        EDITOR.wire.awaitTermination(5, TimeUnit.SECONDS);
        System.out.println("sent " + EDITOR.sent + ", answered " + EDITOR.answered);
    }
}
