// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Severity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** The README's pieces about the doctor. */
public final class DoctorSnippets {

    private DoctorSnippets() {}

    public static void examine() {
        // readme: doctor
        GcDoctor doctor = GcDoctor.start();
        Work.serveForAWhile();
        Diagnosis diagnosis = doctor.diagnosis();
        System.out.println(diagnosis.toText());
        // end
        doctor.close();
    }

    public static void listen() {
        Logger logger = System.getLogger("shop");
        // readme: doctorOptions
        DoctorOptions options =
                DoctorOptions.builder()
                        .pauseMax(Duration.ofMillis(80))
                        .throughputMin(0.9999) // the share of the time for the application
                        .build();
        GcDoctor doctor = GcDoctor.start(options);
        doctor.addListener(
                finding -> {
                    if (finding.severity() != Severity.INFO) {
                        boolean isCritical = finding.severity() == Severity.CRITICAL;
                        Level level = isCritical ? Level.ERROR : Level.WARNING;
                        logger.log(level, finding.id() + ": " + finding.title());
                    }
                });
        // end
        doctor.close();
    }
}
