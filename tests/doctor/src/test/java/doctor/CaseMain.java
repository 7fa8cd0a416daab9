// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.heapsampler.HeapFrame;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Inside;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The JVM with the doctor in it. A healthy program works for this many seconds, a faulty one until
 * its finding is there. What was found is printed, a line for each finding, each site and each
 * caller of one; and what was found at any time, though it may be gone at the end.
 */
public final class CaseMain {

    /** Far beyond need: findings missing by then never come. */
    private static final int MOST_SECONDS = 150;

    /** The shortest time to watch. */
    private static final int LEAST_SECONDS = 3;

    /** A faulty twin is found out within this time, as a rule. */
    private static final int SILENT_SECONDS = 15;

    private static final int POLL_MILLIS = 500;

    private final Case patient;
    private final GcDoctor doctor;
    private final long leastNanos;
    private final long begin = System.nanoTime();
    private final Set<String> opened = ConcurrentHashMap.newKeySet();
    private volatile boolean isWorking = true;
    private @Nullable Program program;

    private CaseMain(Case patient, GcDoctor doctor, int seconds) {
        this.patient = patient;
        this.doctor = doctor;
        // What is no more than information must not become worse meanwhile.
        int least = patient.isWarning() ? LEAST_SECONDS : seconds;
        boolean isSilent = !patient.untold().isEmpty();
        this.leastNanos =
                TimeUnit.SECONDS.toNanos(isSilent ? Math.max(least, SILENT_SECONDS) : least);
        this.program = patient.program().get();
    }

    /**
     * Runs a case.
     *
     * @param arguments its name, the seconds of a healthy one, the file for the timeline
     */
    public static void main(String[] arguments) throws Exception {
        Case patient = Cases.named(arguments[0]);
        try (GcDoctor doctor = GcDoctor.start(options(patient))) {
            rehearse(doctor);
            Inside.write(doctor, Path.of(arguments[2]));
            CaseMain main = new CaseMain(patient, doctor, Integer.parseInt(arguments[1]));
            doctor.addListener(main::open);
            main.work();
            main.awaitLastEvents();
            Diagnosis last = main.look();
            printFindings(last, System.out);
            main.program = null; // What fills metaspace goes: the rest may want room for classes.
            System.gc();
            printDetails(last, System.out);
            Inside.write(doctor, Path.of(arguments[2]));
        }
        System.exit(0);
    }

    private static DoctorOptions options(Case patient) {
        double most = patient.pauseMillis();
        DoctorOptions.Builder options = DoctorOptions.builder();
        return (most > 0 ? options.pauseMax(Duration.ofNanos((long) (most * 1e6))) : options)
                .build();
    }

    /** There may be no room for the classes of this when it is wanted. */
    static void rehearse(GcDoctor doctor) throws Exception {
        Inside.write(doctor, new StringWriter());
        lastTick(doctor);
        print(doctor.diagnosis(), new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
    }

    private void work() throws Exception {
        Thread watch = new Thread(this::watch, "case-watch");
        watch.setDaemon(true);
        watch.start();
        try {
            program.run(() -> isWorking);
        } catch (OutOfMemoryError e) {
            // Metaspace and buffers stay as full as they are; with the heap, an application ends.
            if ("Java heap space".equals(e.getMessage())) {
                program = null;
            }
            System.out.println(e);
        }
        isWorking = false;
        watch.join();
    }

    /** Ends the work when it is time. */
    private void watch() {
        try {
            while (isWorking && !isDone()) {
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        isWorking = false;
    }

    private boolean isDone() {
        boolean isFound = isFound(); // also for healthy programs, which must be so all the time
        long nanos = System.nanoTime() - begin;
        return nanos > TimeUnit.SECONDS.toNanos(MOST_SECONDS)
                || (nanos > leastNanos && (isFound || !patient.isSick()));
    }

    private boolean isFound() {
        try {
            boolean isFound = false;
            for (Finding finding : look().findings()) {
                isFound |= isExpected(finding);
            }
            return isFound;
        } catch (OutOfMemoryError | LinkageError e) {
            return false; // As long as the program fills the heap; later perhaps.
        }
    }

    private Diagnosis look() {
        Diagnosis diagnosis = doctor.diagnosis();
        for (Finding finding : diagnosis.findings()) {
            open(finding);
        }
        return diagnosis;
    }

    /** Prints a finding when it is there first, and when it is as bad as never before. */
    private void open(Finding finding) {
        String line = String.join(" ", "opened", finding.id(), finding.severity().name());
        if (opened.add(line)) {
            System.out.println(String.join(" ", line, finding.title()));
        }
    }

    private boolean isExpected(Finding finding) {
        boolean isWarning = finding.severity() != Severity.INFO;
        return finding.id().equals(patient.finding())
                && (isWarning || !patient.isWarning())
                && (patient.site().isEmpty() || hasSite(finding) || hasCaller(finding));
    }

    /** The cause may be known later. In loops, which link nothing where metaspace is full. */
    private boolean hasSite(Finding finding) {
        for (SiteEvidence site : finding.sites()) {
            if (site.className().contains(patient.site())) {
                return true;
            }
            for (HeapFrame frame : site.stack()) {
                String place = String.join(".", frame.className(), frame.methodName());
                if (place.contains(patient.site())) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean hasCaller(Finding finding) {
        for (CallerEvidence caller : finding.callers()) {
            for (String frame : caller.stack()) {
                if (frame.contains(patient.site())) {
                    return true;
                }
            }
        }
        return false;
    }

    private void awaitLastEvents() throws Exception {
        long end = System.currentTimeMillis() + TimeUnit.SECONDS.toMillis(LEAST_SECONDS);
        long latest = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        while (!(patient.isSick() && isFound())
                && lastTick(doctor) < end
                && System.nanoTime() < latest) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    static long lastTick(GcDoctor doctor) {
        List<Long> ticks = Inside.ticks(doctor);
        return ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1);
    }

    /** Prints what was found, and who causes it. */
    static void print(Diagnosis diagnosis, PrintStream out) {
        printFindings(diagnosis, out);
        printDetails(diagnosis, out);
    }

    /** A line for each finding. */
    private static void printFindings(Diagnosis diagnosis, PrintStream out) {
        for (Finding finding : diagnosis.findings()) {
            out.println(line(finding));
        }
    }

    /** A line for each site and each caller of each finding, and the whole text. */
    private static void printDetails(Diagnosis diagnosis, PrintStream out) {
        for (Finding finding : diagnosis.findings()) {
            for (SiteEvidence site : finding.sites()) {
                out.println(
                        String.join(
                                " ",
                                "site",
                                finding.id(),
                                site.className(),
                                String.valueOf(site.stack())));
            }
            for (CallerEvidence caller : finding.callers()) {
                out.println(
                        String.join(
                                " ",
                                "caller",
                                finding.id(),
                                caller.call(),
                                String.valueOf(caller.stack())));
            }
        }
        out.println(diagnosis.toText());
    }

    private static String line(Finding finding) {
        // Not by +, which is linked when it is met first, and that takes room for a class.
        return String.join(
                " ", "finding", finding.id(), finding.severity().name(), finding.title());
    }
}
