// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.http.Asking.Answer;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What the doctor says, over HTTP. */
class DoctorTest {

    private static final String DOCTOR = "/debug/heapsampler/doctor";

    private static final String REPORT = "/debug/heapsampler/flame.html";
    private static final String STATUS = "/debug/heapsampler/status.json";
    private static final String DIAGNOSIS = "id=\"diagnosis\">";

    private final HeapSamplerEndpoint endpoint =
            new HeapSamplerEndpoint(EndpointOptions.defaults(), new FakeSource());

    @Test
    void aRequestStartsNoDoctor() {
        FakeSource.closeDoctor();
        try {
            Answer answer = ask(endpoint, "GET", DOCTOR);

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text())
                    .isEqualTo(
                            "No doctor is running in the classes of this endpoint. Call"
                                    + " GcDoctor.start() in the application. The doctor of an"
                                    + " agent, or of another class loader, is shown by its own"
                                    + " endpoint and by the command \"doctor PID\".\n");
            assertThat(ask(endpoint, "GET", STATUS).text()).contains("\"doctor\":false");
            assertThat(ask(endpoint, "GET", REPORT).text())
                    .startsWith("<!DOCTYPE html>")
                    .doesNotContain(DIAGNOSIS);
            assertThat(GcDoctor.running()).isNull();
        } finally {
            FakeSource.startDoctor();
        }
    }

    @Test
    void thePageIsThatOfReportsAndHasTheirPolicy() {
        Answer answer = ask(endpoint, "GET", DOCTOR + "?format=html");

        assertThat(answer.text())
                .startsWith("<!DOCTYPE html>")
                .containsOnlyOnce(DIAGNOSIS)
                .doesNotContain("id=\"data\"", " style=", " onclick=");
        assertThat(answer.headers().get("Content-Security-Policy")).isEqualTo(policyOfReports());
    }

    @Test
    void theReportHasTheDiagnosisAndItsPolicyIsTheSame() {
        Answer answer = ask(endpoint, "GET", REPORT);

        assertThat(answer.text()).containsOnlyOnce(DIAGNOSIS).contains("id=\"data\"");
        assertThat(answer.headers().get("Content-Security-Policy")).isEqualTo(policyOfReports());
        assertThat(ask(endpoint, "GET", STATUS).text()).contains("\"doctor\":true");
    }

    private static String policyOfReports() {
        return ExportFormat.HTML.contentSecurityPolicy().orElseThrow() + "; frame-ancestors 'none'";
    }

    /** As in an application without the jar: a loader that does not know the doctor. */
    @Test
    void withoutTheJarItSaysWhatToAdd() throws Exception {
        assertThat(askWithoutTheJar(DOCTOR))
                .isEqualTo(
                        "404 There is no doctor in this application. Add heapsampler-doctor to it,"
                                + " and call GcDoctor.start().");
        assertThat(askWithoutTheJar(REPORT)).startsWith("200 <!DOCTYPE").doesNotContain(DIAGNOSIS);
        assertThat(askWithoutTheJar(STATUS)).startsWith("200 ").contains("\"doctor\":false");
    }

    private static String askWithoutTheJar(String address) throws Exception {
        Object text =
                new WithoutDoctor()
                        .loadClass(DoctorTest.class.getName() + "$InAnotherLoader")
                        .getMethod("ask", String.class)
                        .invoke(null, address);
        return (String) text;
    }

    /** Requests the diagnosis; loaded by a loader of its own. */
    public static final class InAnotherLoader {

        private InAnotherLoader() {}

        public static String ask(String address) {
            HeapSamplerEndpoint endpoint =
                    new HeapSamplerEndpoint(
                            EndpointOptions.builder().allowUnauthenticated().build());
            Answer answer = Asking.ask(endpoint, "GET", address);
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
