// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.pages;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.GcDoctor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Serves pages, and writes a log of them. As long as 2,500 pages wait for the log, each of them
 * outlives the young generation, is copied to the old one, and is garbage a moment later. Once
 * fixed, what waits is the length of each page, which is all that is logged.
 */
public final class Pages {

    private static final int LOGGED_AT_A_TIME = 2_500;
    private static final int PAGE_BYTES = 4_096;

    private final boolean isMended;
    private List<Object> waiting = new ArrayList<>();
    private long logged;

    private Pages(boolean isMended) {
        this.isMended = isMended;
    }

    /**
     * Serves, and prints what the doctor says.
     *
     * @param args {@code faulty} or {@code fixed}, and seconds (10)
     */
    public static void main(String[] args) {
        Pages pages = new Pages(args.length > 0 && args[0].equals("fixed"));
        Duration time = Duration.ofSeconds(args.length > 1 ? Integer.parseInt(args[1]) : 10);
        try (GcDoctor doctor = GcDoctor.start()) {
            pages.serve(Instant.now().plus(time));
            Diagnosis diagnosis = doctor.diagnosis();
            System.out.println(diagnosis.toText());
        }
    }

    private void serve(Instant end) {
        while (Instant.now().isBefore(end)) {
            byte[] page = render();
            if (isMended) {
                log(page.length);
            } else {
                keepForLog(page);
            }
        }
    }

    private static byte[] render() {
        byte[] page = new byte[PAGE_BYTES];
        page[0] = '<';
        return page;
    }

    private void keepForLog(byte[] page) {
        waiting.add(page);
        if (waiting.size() == LOGGED_AT_A_TIME) {
            for (Object each : waiting) {
                logged += ((byte[]) each).length;
            }
            waiting = new ArrayList<>();
        }
    }

    private void log(int length) {
        logged += length;
    }
}
