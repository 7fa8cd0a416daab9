// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The same part of all reports: the page with its style sheet, its script and the policy that
 * allows these two. The sources are in {@code src/main/report}; those of d3 come from WebJars when
 * this module is built.
 */
final class ReportPage {

    private static final String FOLDER = "report/";

    private static final List<String> LIBRARIES = List.of("d3-hierarchy", "d3-selection");

    /** Needed by each page, in the order in which they need each other. */
    private static final List<String> COMMON =
            List.of("namespace", "units", "theme", "plot", "doctor");

    /** Needed by a page with samples. */
    private static final List<String> SCRIPTS =
            List.of(
                    ("estimate model labels tree state colours tooltip figures flame table lists"
                                    + " histogram details summary download holders keys app")
                            .split(" "));

    private final String policy;
    private final byte[] head;
    private final byte[] views;
    private final byte[] script;
    private final byte[] tail;

    private ReportPage(String policy, String[] parts) {
        this.policy = policy;
        this.head = utf8(parts[0]);
        this.views = utf8(parts[1]);
        this.script = utf8(parts[2]);
        this.tail = utf8(parts[3]);
    }

    /** The Content-Security-Policy. */
    String policy() {
        return policy;
    }

    /** Writes the part before the data. */
    void writeHead(boolean hasSamples, OutputStream out) throws IOException {
        out.write(head);
        out.write(utf8(hasSamples ? "samples" : "no-samples"));
        out.write(views);
    }

    /** Writes the script, after the data that it shows, so that it need not wait. */
    void writeScript(OutputStream out) throws IOException {
        out.write(script);
    }

    /** Writes the part after the data for download. */
    void writeTail(OutputStream out) throws IOException {
        out.write(tail);
    }

    /** Made when the first report is. */
    private static final class Holder {
        static final ReportPage PAGE = make();
    }

    static ReportPage get() {
        return Holder.PAGE;
    }

    private static ReportPage make() {
        String style =
                read("theme.css") + read("style.css") + read("doctor.css") + read("holders.css");
        String script = script();
        String policy = policy(style, script);
        String page =
                read("page.html")
                        .replace("@POLICY@", policy)
                        .replace("@LICENCES@", licences())
                        .replace("@STYLE@", style)
                        .replace("@SCRIPT@", script);
        return new ReportPage(policy, page.split("@KIND@|@DATA@|@EXPORTS@", -1));
    }

    /** The libraries define the global name d3; nothing else becomes global. */
    private static String script() {
        return """
        %s
        (async () => {
        'use strict';
        %s
        if (hs.data) {
        %s
        hs.app.start();
        }
        performance.mark('heapsampler-drawn');
        })();
        """
                .formatted(
                        joined(LIBRARIES, "lib/%s.min.js"),
                        joined(COMMON, "js/%s.js"),
                        joined(SCRIPTS, "js/%s.js"));
    }

    private static String joined(List<String> names, String file) {
        return names.stream()
                .map(name -> read(file.formatted(name)))
                .collect(Collectors.joining("\n"));
    }

    private static String licences() {
        return LIBRARIES.stream()
                .map(name -> name + "\n\n" + read("lib/" + name + ".LICENSE"))
                .collect(Collectors.joining("\n"));
    }

    /** No network, forms or plug-ins; no code and no markup made of text. */
    private static String policy(String style, String script) {
        return "default-src 'none'; script-src "
                + hash(script)
                + "; style-src "
                + hash(style)
                + "; img-src data:; base-uri 'none'; form-action 'none';"
                + " require-trusted-types-for 'script'; trusted-types 'none'";
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(utf8(text));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Each Java platform has SHA-256, but not this one.", e);
        }
    }

    private static String read(String name) {
        try (InputStream in = ReportPage.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "The part "
                                + FOLDER
                                + name
                                + " of the report is missing in the jar of heapsampler-export. Was"
                                + " the jar shrunk or repacked? Keep its resources.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The report's " + name + " cannot be read.", e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
