// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.ApiStatus;
import io.heapsampler.http.Asking.Answer;
import io.heapsampler.http.Gatekeeper.Token;
import io.heapsampler.internal.shared.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One test for each lesson that others learnt the hard way about what is sent. */
class SecurityTest extends EndpointCase {

    @BeforeEach
    void forgetOthers() {
        FakeSource.sampledAnew();
    }

    /** Containers and service loaders find by themselves what is announced in one of these ways. */
    @Test
    void nothingIsServedBecauseTheJarIsThere() throws Exception {
        Path classes =
                Path.of(
                        HeapSamplerServlet.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());

        assertThat(HeapSamplerServlet.class.getAnnotations()).allMatch(ApiStatus.class::isInstance);
        assertThat(classes.resolve("META-INF/services")).doesNotExist();
        assertThat(classes.resolve("META-INF/web-fragment.xml")).doesNotExist();
        assertThat(classes.resolve("META-INF/spring")).doesNotExist();
        assertThat(classes.resolve("module-info.class")).exists();
    }

    @Test
    void everyAnswerForbidsSniffingCachingAndFraming() {
        for (Contract.Row row : Contract.rows()) {
            if (row.target().startsWith("/secure")) {
                continue;
            }
            Answer answer =
                    ask(open, row.method(), row.target(), row.headers().toArray(String[]::new));
            assertThat(answer.headers())
                    .as(row.toString())
                    .containsEntry("X-Content-Type-Options", "nosniff")
                    .containsEntry("Cache-Control", "no-store")
                    .containsEntry("X-Frame-Options", "DENY");
            assertThat(answer.headers().get("Content-Security-Policy"))
                    .as(row.toString())
                    .startsWith("default-src 'none'")
                    .contains("frame-ancestors 'none'")
                    .doesNotContain("unsafe");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/debug/pprof/", PAGE})
    void pagesRunTheirOwnScriptOnly(String path) {
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Answer answer = ask(open, "GET", path);
            Matcher policy =
                    Pattern.compile("script-src 'nonce-([A-Za-z0-9_-]{22})'")
                            .matcher(answer.headers().get("Content-Security-Policy"));
            assertThat(policy.find()).isTrue();
            nonces.add(policy.group(1));
            assertThat(answer.text()).contains("nonce=\"" + policy.group(1) + "\"");
            assertThat(answer.text())
                    .doesNotContainPattern("<(script|style)(?! nonce)")
                    .doesNotContainPattern("(?i)\\son[a-z]+=")
                    .doesNotContainPattern("(?i)(src|href|action)=\"?(https?:|//|javascript:)");
        }
        assertThat(nonces).hasSize(20);
    }

    @Test
    void hostileNamesStayText() throws Exception {
        Hostile.allocate();
        for (String path : List.of(PAGE, PAGE + "flame.html", "/debug/pprof/")) {
            String html = ask(open, "GET", path).text();
            assertThat(html).doesNotContain("<script>alert").doesNotContain(Hostile.CLASS_PART);
        }
        assertThat(ask(open, "GET", PAGE + "top.txt").text()).contains(Hostile.CLASS_PART);
        assertThat(ask(open, "GET", HEAP + "?debug=1").headers())
                .containsEntry("Content-Type", "text/plain; charset=utf-8");
        assertThat(JsonText.of(List.of("</script>\"\\\n\ud800")))
                .isEqualTo("[\"\\u003c/script\\u003e\\\"\\\\\\u000a\\ud800\"]\n");
        assertThat(Answers.fill("index.html", Map.of("COUNT", "@NONCE@", "NONCE", "n")))
                .contains("@NONCE@");
    }

    @Test
    void nothingOfTheRequestIsRepeated() {
        String mark = "r3fl3cted";
        for (String target :
                List.of(
                        "/debug/pprof/" + mark,
                        "/debug/heapsampler/" + mark,
                        "/" + mark,
                        HEAP + "?seconds=" + mark,
                        HEAP + "?" + mark + "=%zz",
                        PAGE + "snapshot.json?metric=" + mark,
                        "/debug/pprof?" + mark)) {
            Answer answer = ask(open, "GET", target, "X-A: " + mark, "Accept: " + mark);
            assertThat(answer.text() + answer.headers()).doesNotContain(mark);
        }
        Answer host = ask(open, "GET", "/debug/pprof", "Host: " + mark);
        assertThat(host.text() + host.headers()).doesNotContain(mark);
    }

    @Test
    void namesOfThreadsCanBeHidden() throws Exception {
        Thread thread = new Thread(FakeSource::sampled, "user-4711-session");
        thread.start();
        thread.join();
        Hostile.allocateIn("user-4711-session");
        HeapSamplerEndpoint redacted = endpoint(EndpointOptions.builder().threadNames(name -> ""));

        assertThat(ask(open, "GET", PAGE + "snapshot.json").text()).contains("user-4711-session");
        for (String path :
                List.of(
                        "snapshot.json",
                        "snapshot.pb.gz",
                        "snapshot.jfr",
                        "snapshot.csv",
                        "top.txt",
                        "metrics")) {
            Answer answer = ask(redacted, "GET", PAGE + path);
            byte[] body = path.endsWith(".gz") ? Gzip.read(answer.body()) : answer.body();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(new String(body, StandardCharsets.ISO_8859_1))
                    .as(path)
                    .doesNotContain("user-4711");
        }
        assertThat(ask(redacted, "GET", PAGE + "snapshot.hsnap").status()).isEqualTo(403);
    }

    @Test
    void noParameterTakesAPathAClassOrAProcess() {
        Answer plain = ask(open, "GET", PAGE + "status.json");
        for (String name :
                List.of("file", "path", "output", "class", "pid", "url", "format", "library")) {
            assertThat(ask(open, "GET", PAGE + "status.json?" + name + "=/etc/passwd").status())
                    .isEqualTo(plain.status());
        }
        assertThat(plain.text()).doesNotContain(".so").doesNotContain("/tmp");
        assertThat(ask(open, "GET", "/debug/pprof/cmdline").status()).isEqualTo(404);
        assertThat(ask(open, "GET", PAGE + "../pprof/heap").status()).isEqualTo(404);
        assertThat(ask(open, "GET", PAGE + "..%2f..%2fetc/passwd").status()).isEqualTo(404);
    }

    @Test
    void secretsAreInNoLogAndNoText() {
        try (Logged log = new Logged()) {
            source.failure = new IllegalArgumentException("broken on purpose");
            String right = "Authorization: Bearer " + Contract.TOKEN;
            Answer failed = ask(secured, "GET", HEAP + "?a=hush-hush", right, "Cookie: hush-hush");
            Answer refused = ask(secured, "GET", HEAP, "Authorization: Bearer hush-hush");
            EndpointRequest request =
                    Asking.request("GET", HEAP + "?a=hush-hush")
                            .header("Authorization", "Bearer " + Contract.TOKEN)
                            .build();

            assertThat(failed.status()).isEqualTo(500);
            assertThat(failed.text())
                    .isEqualTo("This failed. The log of the application says why.\n");
            List<String> logged = new ArrayList<>(log.lines());
            assertThat(logged).anySatisfy(line -> assertThat(line).contains("broken on purpose"));
            logged.add(failed.text() + failed.headers());
            logged.add(refused.text() + refused.headers());
            logged.add(request.toString());
            logged.add(EndpointOptions.builder().token(Contract.TOKEN).build().toString());
            logged.add(new Token(Contract.TOKEN).toString());
            assertThat(logged)
                    .noneMatch(line -> line.contains(Contract.TOKEN) || line.contains("hush"));
        }
    }
}
