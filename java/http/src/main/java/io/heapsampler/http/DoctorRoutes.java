// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.SnapshotFormat;
import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The diagnosis, at {@code /debug/heapsampler/doctor} and in the report. A request starts no doctor
 * and forces no collection. An application may be without the doctor's jar: nothing of it is in a
 * field or a signature of another class.
 */
final class DoctorRoutes {

    private final Snapshots snapshots;

    DoctorRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    void addTo(Map<String, Route> routes) {
        routes.put(
                SnapshotRoutes.ROOT + "doctor",
                Route.read(Answers.TEXT, (request, parameters) -> doctor(parameters)));
    }

    /** Returns whether a doctor is running in this JVM. */
    static boolean isAtWork() {
        try {
            return GcDoctor.running() != null;
        } catch (LinkageError e) {
            return false;
        }
    }

    /**
     * Returns the format of a report, with the diagnosis if a doctor is running.
     *
     * @param hasLabels whether all labels are shown, and as they are
     */
    static SnapshotFormat report(ExportOptions.Builder options, boolean hasLabels) {
        try {
            GcDoctor doctor = GcDoctor.running();
            if (doctor != null) {
                options.diagnosis(diagnosis(doctor, hasLabels).toJson());
            }
        } catch (LinkageError e) {
            // The jar is not there, or there is no room for its classes.
        }
        return ExportFormat.HTML.with(options.build());
    }

    private static Diagnosis diagnosis(GcDoctor doctor, boolean hasLabels) {
        Diagnosis now = doctor.diagnosis();
        return hasLabels ? now : now.withoutLabels();
    }

    private Diagnosis diagnosis(GcDoctor doctor) {
        return diagnosis(doctor, snapshots.options().hasLabelsAsTheyAre());
    }

    private EndpointResponse doctor(Parameters parameters) throws Refusal, IOException {
        String format = parameters.get("format");
        GcDoctor doctor = running();
        try {
            return answer(doctor, format == null ? "text" : format);
        } catch (LinkageError e) {
            throw Refusal.later(
                    503, 10, "The JVM could not load a class for this answer. Try again later.");
        }
    }

    private static GcDoctor running() throws Refusal {
        try {
            GcDoctor doctor = GcDoctor.running();
            if (doctor != null) {
                return doctor;
            }
        } catch (NoClassDefFoundError e) {
            throw new Refusal(
                    404,
                    "There is no doctor in this application. Add heapsampler-doctor to it, and call"
                            + " GcDoctor.start().");
        }
        throw new Refusal(
                503,
                "No doctor is running in the classes of this endpoint. Call GcDoctor.start() in the"
                        + " application. The doctor of an agent, or of another class loader, is"
                        + " shown by its own endpoint and by the command \"doctor PID\".");
    }

    private EndpointResponse answer(GcDoctor doctor, String format) throws Refusal, IOException {
        return switch (format) {
            case "text" ->
                    Answers.ok(
                            Answers.TEXT,
                            render(format, out -> write(diagnosis(doctor).toText(), out)));
            case "json" ->
                    Answers.ok(
                            Answers.JSON,
                            render(format, out -> write(diagnosis(doctor).toJson(), out)));
            case "html" -> Answers.report(render(format, out -> writePage(doctor, out)));
            default ->
                    throw new Refusal(
                            400, "invalid value for \"format\" - must be text, json or html");
        };
    }

    private Body render(String format, Renderer.Work work) throws Refusal, IOException {
        Rendered rendered = snapshots.renderer().shared("doctor " + format, work);
        return rendered.body(snapshots.options().writeTimeout().toNanos());
    }

    private static void write(String text, OutputStream out) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private void writePage(GcDoctor doctor, OutputStream out) throws IOException {
        Exporting.get().writeDiagnosis(diagnosis(doctor).toJson(), out);
    }
}
