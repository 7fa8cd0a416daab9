// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.http.Asking.Answer;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the doctor says, over HTTP. */
class DoctorTest {

    private static final String DOCTOR = "/debug/heapsampler/doctor";

    private final HeapSamplerEndpoint endpoint =
            new HeapSamplerEndpoint(EndpointOptions.defaults(), new FakeSource());

    @Test
    void aRequestStartsNoDoctor() {
        GcDoctor running = GcDoctor.running();
        if (running != null) {
            running.close();
        }
        try {
            Answer answer = ask(endpoint, "GET", DOCTOR);

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text())
                    .isEqualTo("No doctor is at work. Call GcDoctor.start() in the application.\n");
            assertThat(GcDoctor.running()).isNull();
        } finally {
            GcDoctor.start(DoctorOptions.builder().sampling(false).flightRecorder(false).build());
        }
    }

    @Test
    void thePageRunsNothingAndItsStyleCarriesTheNonceOfItsPolicy() {
        Answer answer = ask(endpoint, "GET", DOCTOR + "?format=html");

        Matcher policy =
                Pattern.compile("style-src 'nonce-([^']+)'")
                        .matcher(answer.headers().get("Content-Security-Policy"));
        assertThat(policy.find()).isTrue();
        assertThat(answer.text())
                .contains("<style nonce=\"" + policy.group(1) + "\">")
                .doesNotContain("<script")
                .doesNotContain(" style=")
                .doesNotContain(" onclick=");
    }

    /** As in an application without the jar: a loader that does not know the doctor. */
    @Test
    void withoutTheJarItSaysWhatToAdd() throws Exception {
        ClassLoader without = new WithoutDoctor();
        Object text =
                without.loadClass(DoctorTest.class.getName() + "$InAnotherLoader")
                        .getMethod("ask")
                        .invoke(null);

        assertThat(text)
                .isEqualTo(
                        "404 There is no doctor in this application. Add heapsampler-doctor to it,"
                                + " and call GcDoctor.start().");
    }

    /** Asks for the diagnosis; loaded by a loader of its own. */
    public static final class InAnotherLoader {

        private InAnotherLoader() {}

        public static String ask() {
            HeapSamplerEndpoint endpoint = new HeapSamplerEndpoint(EndpointOptions.defaults());
            Answer answer = Asking.ask(endpoint, "GET", DOCTOR);
            return answer.status() + " " + answer.text().strip();
        }
    }

    /** Defines the classes of this module anew, and has none of the doctor. */
    private static final class WithoutDoctor extends ClassLoader {

        WithoutDoctor() {
            super(DoctorTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.heapsampler.doctor.")) {
                throw new ClassNotFoundException(name);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null || !name.startsWith("io.heapsampler.http.")) {
                return known != null ? known : super.loadClass(name, resolve);
            }
            String file = name.replace('.', '/') + ".class";
            try (var in = getParent().getResourceAsStream(file)) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
