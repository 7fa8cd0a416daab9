// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A row of the table: a program with its arguments, and what the doctor has to report.
 *
 * @param name the last part of the names of its cells
 * @param kind what it is
 * @param main the simple name of its class
 * @param args its arguments behind the seconds
 * @param seconds how long it runs
 * @param flags of the JVM, beside the collector
 * @param expected the id of the expected finding; empty if healthy
 * @param isInfoEnough whether the expected finding may be information only
 * @param tolerated ids of findings that are true consequences of the fault
 * @param site matches a frame of the expected site or caller; empty if none can be expected
 * @param cells JDK and collector of each cell, such as {@code 17-g1}
 */
record Row(
        String name,
        Kind kind,
        String main,
        List<String> args,
        int seconds,
        List<String> flags,
        String expected,
        boolean isInfoEnough,
        Set<String> tolerated,
        String site,
        List<String> cells) {

    /** Begins a leak, which may have the consequences of a full heap. */
    static Row leak(String name, String main, String... args) {
        return begun(name, Kind.LEAK, main, args)
                .finding("leak.growth")
                .tolerating("old.frequent", "gc.degenerated", "gc.evacuation-failure", "gc.stall")
                .tolerating("pause.long", "promotion.premature");
    }

    static Row faulty(String name, String main, String... args) {
        return begun(name, Kind.FAULTY, main, args);
    }

    static Row healthy(String name, String main, String... args) {
        return begun(name, Kind.HEALTHY, main, args);
    }

    private static Row begun(String name, Kind kind, String main, String... args) {
        return new Row(
                name, kind, main, List.of(args), 45, List.of(), "", false, Set.of(), "", List.of());
    }

    Row seconds(int changed) {
        return new Row(
                name,
                kind,
                main,
                args,
                changed,
                flags,
                expected,
                isInfoEnough,
                tolerated,
                site,
                cells);
    }

    Row flags(String... changed) {
        return new Row(
                name,
                kind,
                main,
                args,
                seconds,
                List.of(changed),
                expected,
                isInfoEnough,
                tolerated,
                site,
                cells);
    }

    Row finding(String changed) {
        return new Row(
                name,
                kind,
                main,
                args,
                seconds,
                flags,
                changed,
                isInfoEnough,
                tolerated,
                site,
                cells);
    }

    Row infoIsEnough() {
        return new Row(
                name, kind, main, args, seconds, flags, expected, true, tolerated, site, cells);
    }

    Row tolerating(String... added) {
        Set<String> more = new TreeSet<>(tolerated);
        more.addAll(List.of(added));
        return new Row(
                name, kind, main, args, seconds, flags, expected, isInfoEnough, more, site, cells);
    }

    Row site(String changed) {
        return new Row(
                name,
                kind,
                main,
                args,
                seconds,
                flags,
                expected,
                isInfoEnough,
                tolerated,
                Pattern.compile(changed).pattern(),
                cells);
    }

    Row on(String... changed) {
        return new Row(
                name,
                kind,
                main,
                args,
                seconds,
                flags,
                expected,
                isInfoEnough,
                tolerated,
                site,
                List.of(changed));
    }
}
