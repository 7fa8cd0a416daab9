// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.SnapshotFormat;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the doctor says, at {@code /debug/heapsampler/doctor} and in the report. A request starts no
 * doctor and forces no collection. An application may be without the doctor's jar: nothing of it is
 * in a field or a signature of another class.
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
     * Returns the format of a report, with the diagnosis as a section if a doctor is running. The
     * style sheet of the section is in every report, and so in its policy.
     */
    static SnapshotFormat report(ExportOptions options) {
        try {
            GcDoctor doctor = GcDoctor.running();
            if (doctor != null) {
                String section = doctor.diagnosis().toHtmlSection();
                return Exporting.get().reportWithDoctor(options, section);
            }
        } catch (LinkageError e) {
            // The jar is not there, or there is no room for its classes.
        }
        return ExportFormat.HTML.with(options);
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
                    Answers.ok(Answers.TEXT, render(format, () -> doctor.diagnosis().toText()));
            case "json" ->
                    Answers.ok(Answers.JSON, render(format, () -> doctor.diagnosis().toJson()));
            case "html" -> page(doctor, Answers.nonce());
            default ->
                    throw new Refusal(
                            400, "invalid value for \"format\" - must be text, json or html");
        };
    }

    private Body render(String format, Supplier<String> text) throws Refusal, IOException {
        Rendered rendered =
                snapshots
                        .renderer()
                        .shared(
                                "doctor " + format,
                                out -> out.write(text.get().getBytes(StandardCharsets.UTF_8)));
        return rendered.body(snapshots.options().writeTimeout().toNanos());
    }

    private EndpointResponse page(GcDoctor doctor, String nonce) throws Refusal, IOException {
        Rendered rendered =
                snapshots
                        .renderer()
                        .alone(
                                out ->
                                        out.write(
                                                html(doctor, nonce)
                                                        .getBytes(StandardCharsets.UTF_8)));
        return Answers.page(rendered.body(snapshots.options().writeTimeout().toNanos()), nonce);
    }

    private static String html(GcDoctor doctor, String nonce) {
        return doctor.diagnosis().toHtml().replace("<style>", "<style nonce=\"" + nonce + "\">");
    }
}
