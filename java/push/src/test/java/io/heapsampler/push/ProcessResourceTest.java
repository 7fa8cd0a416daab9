// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static io.heapsampler.push.ContextBytes.bytes;
import static io.heapsampler.push.ContextBytes.context;
import static io.heapsampler.push.ContextBytes.integer;
import static io.heapsampler.push.ContextBytes.pair;
import static io.heapsampler.push.ContextBytes.text;
import static io.heapsampler.push.ContextBytes.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What is pushed of a process context. */
class ProcessResourceTest {

    private byte[] payload = {};
    private final ProcessResource resource = new ProcessResource(() -> payload);

    /** Arguments may be passwords. */
    @Test
    void leavesOutTheArgumentsOfTheProcess() {
        payload =
                context(
                        pair("process.command_line", text(1, "java -Dpassword=secret")),
                        pair("process.command_args", bytes(5, bytes(1, text(1, "secret")))),
                        pair("process.command", text(1, "java")),
                        pair("process.pid", integer(3, 7)));

        assertThat(resource.get())
                .containsExactly(entry("process.command", "java"), entry("process.pid", 7L));
    }

    @Test
    void leavesOutAServiceNameThatIsNone() {
        for (byte[] value : new byte[][] {text(1, ""), text(1, " \t"), integer(3, 7)}) {
            payload = context(pair("service.name", value), pair("a", text(1, "b")));

            assertThat(resource.get()).containsExactly(entry("a", "b"));
        }
        payload = texts("service.name", "shop");
        assertThat(resource.get()).containsExactly(entry("service.name", "shop"));
    }

    @Test
    void logsOnceThatTheContextIsDamaged() {
        Logger logger = Logger.getLogger("io.heapsampler.push");
        try (Warnings logged = new Warnings()) {
            logger.setLevel(Level.FINE);
            assertThat(resource.get()).isEmpty();
            assertThat(logged.texts()).isEmpty();

            payload = new byte[] {10, 99};
            assertThat(resource.get()).isEmpty();
            assertThat(resource.get()).isEmpty();
            assertThat(logged.texts())
                    .containsExactly(
                            "FINE otlp: the process context is damaged, so its resource is not"
                                    + " pushed. This is logged once.");

            payload = texts("a", "b");
            assertThat(resource.get()).containsExactly(entry("a", "b"));
        } finally {
            logger.setLevel(null);
        }
    }
}
