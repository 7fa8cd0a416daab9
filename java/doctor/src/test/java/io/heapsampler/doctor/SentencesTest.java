// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A misspelt name of a fact leaves an empty place in a sentence, or hides one. */
class SentencesTest {

    private static final Path RULES = Path.of("src/main/java/io/heapsampler/doctor");
    private static final Path TABLE =
            Path.of("src/main/resources/io/heapsampler/doctor/findings.txt");

    private static final Pattern ROW =
            Pattern.compile("new TableRule\\(\"(\\S+)\", (\\w+)::\\w+\\)");

    private static final Pattern LITERAL = Pattern.compile("\"([a-z][a-z0-9_.]*)\"");
    private static final Pattern PLACE = Pattern.compile("\\{([^ }]+)[^}]*}");
    private static final Pattern KEY = Pattern.compile("([A-Za-z][A-Za-z_.-]*)(?:[?!](\\S+))? .*");

    private static List<String> parts() throws IOException {
        List<String> parts = new ArrayList<>(List.of(Files.readString(TABLE).split("\n\n")));
        assertThat(parts.remove(0)).startsWith("# SPDX");
        assertThat(parts.remove(parts.size() - 1)).startsWith("notes\n");
        return parts;
    }

    private static Set<String> literals(String file) throws IOException {
        Set<String> found = new HashSet<>();
        Matcher literal = LITERAL.matcher(Files.readString(RULES.resolve(file + ".java")));
        while (literal.find()) {
            found.add(literal.group(1));
        }
        return found;
    }

    /** Of the class of the rule, and those facts that several rules have. */
    @Test
    void eachNameInASentenceIsAFactOfItsRule() throws IOException {
        Set<String> shared = new HashSet<>();
        for (String file : List.of("Facts", "NamedSites", "GrowingSites", "OldFigures")) {
            shared.addAll(literals(file));
        }
        Map<String, String> classes = new HashMap<>();
        Matcher row = ROW.matcher(Files.readString(RULES.resolve("Rules.java")));
        while (row.find()) {
            classes.put(row.group(1), row.group(2));
        }
        List<String> wrong = new ArrayList<>();
        for (String part : parts()) {
            List<String> lines = part.lines().toList();
            Set<String> facts = literals(classes.get(lines.get(0)));
            facts.addAll(shared);
            check(lines, facts, wrong);
        }
        assertThat(wrong).isEmpty();
        assertThat(parts()).hasSameSizeAs(classes.keySet());
    }

    private static void check(List<String> rule, Set<String> facts, List<String> wrong) {
        Set<String> names = new HashSet<>(facts);
        Set<String> used = new HashSet<>();
        for (String line : rule.subList(1, rule.size())) {
            Matcher key = KEY.matcher(line);
            if (!key.matches()) {
                wrong.add(rule.get(0) + ": " + line);
                continue;
            }
            names.add(key.group(1));
            if (key.group(2) != null) {
                used.add(key.group(2));
            }
            Matcher place = PLACE.matcher(line);
            while (place.find()) {
                used.add(place.group(1));
            }
        }
        for (String each : used) {
            if (!names.contains(each)) {
                wrong.add(rule.get(0) + ": " + each);
            }
        }
    }

    /** Each is looked up by a literal somewhere. */
    @Test
    void eachNoteIsUsedAndThere() throws IOException {
        String table = Files.readString(TABLE);
        List<String> notes = table.substring(table.indexOf("\nnotes\n") + 7).lines().toList();
        Set<String> used = new HashSet<>();
        try (Stream<Path> files = Files.list(RULES)) {
            for (Path file : files.toList()) {
                String source = Files.readString(file);
                Matcher asked = Pattern.compile("note\\(\\s*\"([a-z.]+)\"").matcher(source);
                while (asked.find()) {
                    assertThat(notes).anyMatch(line -> line.startsWith(asked.group(1) + " "));
                }
                used.addAll(literals(file.getFileName().toString().replace(".java", "")));
            }
        }
        assertThat(notes).allMatch(line -> used.contains(line.split(" ", 2)[0]));
    }
}
