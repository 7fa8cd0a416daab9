// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.util.Callback;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Healthy: Jetty answers with lists that it compresses; its buffers and its deflaters, with their
 * native memory, are pooled.
 */
public final class JettyGzip {

    private static final int REQUESTS_A_SECOND = 120;

    private static long read;

    private static final class Lists extends Handler.Abstract {
        @Override
        public boolean handle(
                org.eclipse.jetty.server.Request request,
                org.eclipse.jetty.server.Response response,
                Callback callback) {
            StringBuilder list = new StringBuilder("{");
            for (int i = 0; i < 600; i++) {
                list.append("\"line ").append(i).append("\": ").append(i * 31).append(",\n");
            }
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
            Content.Sink.write(response, true, list.append("\"end\": 0}").toString(), callback);
            return true;
        }
    }

    private static int list(OkHttpClient client, Request request) throws IOException {
        try (Response response = client.newCall(request).execute()) {
            return response.body().string().getBytes(StandardCharsets.UTF_8).length;
        }
    }

    public static void main(String... args) throws Exception {
        Server server = new Server(0);
        GzipHandler gzip = new GzipHandler();
        gzip.setHandler(new Lists());
        server.setHandler(gzip);
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        OkHttpClient client = new OkHttpClient();
        Request request = new Request.Builder().url("http://localhost:" + port + "/list").build();
        Load.at(REQUESTS_A_SECOND, args, number -> read += list(client, request));
        server.stop();
        System.out.println("read " + read);
        System.exit(0);
    }
}
