// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import java.io.IOException;
import java.io.InputStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What the doctor of this JVM finds reaches all that wait for it. */
class GcDoctorFindingsTest {

    private static final int CLASSES = 3_000;

    private final Queue<Finding> heard = new ConcurrentLinkedQueue<>();

    /** The class that comes and goes. */
    static final class Passing {}

    private static final class Defining extends ClassLoader {
        Class<?> define(byte[] code) {
            return defineClass(Passing.class.getName(), code, 0, code.length);
        }
    }

    private static void passClasses() throws IOException {
        String name = Passing.class.getName().replace('.', '/') + ".class";
        byte[] code;
        try (InputStream in = Passing.class.getClassLoader().getResourceAsStream(name)) {
            code = in.readAllBytes();
        }
        for (int i = 0; i < CLASSES; i++) {
            assertThat(new Defining().define(code)).isNotEqualTo(Passing.class);
        }
    }

    private boolean isHeard(String id, Severity severity) {
        return heard.stream().anyMatch(it -> it.id().equals(id) && it.severity() == severity);
    }

    /** The sampler runs, as with the agent: the doctor does not start it. */
    @Test
    void aFindingIsReportedAndACloserLookBegins() throws Exception {
        DoctorOptions options = DoctorOptions.builder().sampling(false).closerLook(true).build();
        try (SamplerHold hold = HeapSampler.share("agent");
                GcDoctor doctor = GcDoctor.start(options)) {
            assertThat(hold).isNotNull();
            listen(doctor);
            until("a closer look", () -> hasLooked(doctor, " is under way"));
            hold.stop();
            until("its end", () -> hasLooked(doctor, ": every "));
        }
    }

    /** A recording would prevent the application from starting another strategy. */
    @Test
    void aDoctorThatMayNotSampleDoesNotLookCloser() throws Exception {
        DoctorOptions options = DoctorOptions.builder().sampling(false).build();
        try (SamplerHold hold = HeapSampler.share("agent");
                GcDoctor doctor = GcDoctor.start(options)) {
            assertThat(hold).isNotNull();
            listen(doctor);
            int ticks = doctor.timeline().ticks().size();
            until("the end of the judgement", () -> doctor.timeline().ticks().size() > ticks);
            assertThat(hasLooked(doctor, "")).isFalse();
        }
    }

    private static boolean hasLooked(GcDoctor doctor, String what) {
        return doctor.diagnosis().notes().stream()
                .anyMatch(it -> it.startsWith("A closer look at class.churn" + what));
    }

    private void listen(GcDoctor doctor) throws Exception {
        assumeThat(doctor.timeline().settings().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        doctor.addListener(heard::add);
        passClasses();
        for (int i = 0; i < 10; i++) {
            System.gc();
        }

        until("a warning", () -> isHeard("gc.explicit", Severity.WARNING));
        until("classes that went", () -> isHeard("class.churn", Severity.INFO));
    }
}
