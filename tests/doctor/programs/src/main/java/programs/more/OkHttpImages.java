// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;

import okio.Buffer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * Faulty on G1 with small regions: images of more than a region are downloaded as one array each,
 * and the last ones are kept.
 */
public final class OkHttpImages {

    private static final int IMAGES_A_SECOND = 12;

    private static long read;

    private final Deque<byte[]> shown = new ArrayDeque<>();

    private final OkHttpClient client = new OkHttpClient();

    private long download(Request request) throws IOException {
        try (Response response = client.newCall(request).execute()) {
            byte[] image = response.body().bytes();
            shown.add(image);
            if (shown.size() > 40) {
                shown.poll();
            }
            return image.length;
        }
    }

    public static void main(String... args) throws IOException {
        byte[] pixels = new byte[1_400_000];
        new Random(1).nextBytes(pixels);
        try (MockWebServer server = new MockWebServer()) {
            server.setDispatcher(
                    new Dispatcher() {
                        @Override
                        public MockResponse dispatch(RecordedRequest request) {
                            return new MockResponse().setBody(new Buffer().write(pixels));
                        }
                    });
            server.start();
            Request request = new Request.Builder().url(server.url("/image")).build();
            OkHttpImages images = new OkHttpImages();
            Load.at(IMAGES_A_SECOND, args, number -> read += images.download(request));
            System.out.println("read " + read);
        }
        System.exit(0);
    }
}
