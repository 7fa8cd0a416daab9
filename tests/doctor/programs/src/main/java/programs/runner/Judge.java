// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Compares the output and the final file of a run with its row of the table. */
final class Judge {

    /** The right site must be among the first sites, up to this number. */
    private static final int SITES = 3;

    private final Row row;
    private final List<LogLine> log;
    private final List<JsonObject> findings;

    private Judge(Row row, List<LogLine> log, List<JsonObject> findings) {
        this.row = row;
        this.log = log;
        this.findings = findings;
    }

    /**
     * Judges a run.
     *
     * @param row what is expected
     * @param lines what the runner has read, each with its time
     * @param json the diagnosis of the final file, or empty if there is none
     */
    static Judgement of(Row row, List<String> lines, String json) {
        List<JsonObject> findings =
                json.isBlank()
                        ? List.of()
                        : JsonParser.parseString(json)
                                .getAsJsonObject()
                                .getAsJsonArray("findings")
                                .asList()
                                .stream()
                                .map(JsonElement::getAsJsonObject)
                                .toList();
        List<LogLine> log = lines.stream().map(LogLine::of).flatMap(Optional::stream).toList();
        return new Judge(row, log, findings).judgement();
    }

    private Judgement judgement() {
        Optional<JsonObject> expected = inFile(row.expected());
        int rank = expected.map(this::siteRank).orElse(0);
        Set<String> takenBack = new TreeSet<>();
        log.stream().map(LogLine::id).filter(id -> !stays(id)).forEach(takenBack::add);
        return new Judgement(
                row.kind() == Kind.HEALTHY ? ofHealthy() : ofFaulty(expected, rank, takenBack),
                firstSeconds(),
                expected.map(Judge::severity).orElse(""),
                rank,
                others(),
                takenBack);
    }

    private Verdict ofHealthy() {
        return log.isEmpty() && findings.stream().noneMatch(Judge::isWarning)
                ? Verdict.SILENT
                : Verdict.FALSE_WARNING;
    }

    private Verdict ofFaulty(Optional<JsonObject> expected, int rank, Set<String> takenBack) {
        if (expected.filter(this::isTold).isPresent()) {
            if (row.site().isEmpty()) {
                return Verdict.FOUND;
            }
            return rank > 0 ? Verdict.FOUND_WITH_SITE : Verdict.FOUND_WITHOUT_SITE;
        }
        if (takenBack.contains(row.expected())) {
            return Verdict.TAKEN_BACK;
        }
        if (expected.filter(found -> !isExplained(found)).isPresent()) {
            return Verdict.FOUND_AS_INFO;
        }
        return log.isEmpty() && findings.stream().noneMatch(Judge::isWarning)
                ? Verdict.MISSED
                : Verdict.OTHER_FINDING;
    }

    /**
     * Returns whether the file has it with enough weight, and not as a consequence of a wrong one.
     */
    private boolean isTold(JsonObject expected) {
        return isExplained(expected)
                ? row.tolerated().contains(expected.get("explainedBy").getAsString())
                : row.isInfoEnough() || isWarning(expected);
    }

    private double firstSeconds() {
        return log.stream()
                .filter(line -> row.kind() == Kind.HEALTHY || line.id().equals(row.expected()))
                .mapToDouble(LogLine::seconds)
                .min()
                .orElse(-1);
    }

    /** Returns warnings that are neither expected nor tolerated nor explained by a finding. */
    private Set<String> others() {
        Set<String> ids = new TreeSet<>();
        findings.stream()
                .filter(finding -> isWarning(finding) && !isExplained(finding))
                .map(Judge::id)
                .forEach(ids::add);
        log.stream().map(LogLine::id).filter(id -> !stays(id)).forEach(ids::add);
        ids.remove(row.expected());
        ids.removeAll(row.tolerated());
        return ids;
    }

    private Optional<JsonObject> inFile(String id) {
        return findings.stream().filter(finding -> id(finding).equals(id)).findFirst();
    }

    /** Returns whether the file still has it as a warning, or as a consequence of another. */
    private boolean stays(String id) {
        return inFile(id).filter(found -> isWarning(found) || isExplained(found)).isPresent();
    }

    private int siteRank(JsonObject finding) {
        if (row.site().isEmpty()) {
            return 0;
        }
        Pattern site = Pattern.compile(row.site());
        int sites = rank(site, finding.getAsJsonArray("sites"));
        return sites > 0 ? sites : rank(site, finding.getAsJsonArray("callers"));
    }

    private static int rank(Pattern site, JsonArray sites) {
        for (int i = 0; i < Math.min(SITES, sites.size()); i++) {
            if (site.matcher(sites.get(i).toString()).find()) {
                return i + 1;
            }
        }
        return 0;
    }

    private static String id(JsonObject finding) {
        return finding.get("id").getAsString();
    }

    private static String severity(JsonObject finding) {
        return finding.get("severity").getAsString();
    }

    private static boolean isWarning(JsonObject finding) {
        return !severity(finding).equals("INFO");
    }

    private static boolean isExplained(JsonObject finding) {
        JsonElement explainedBy = finding.get("explainedBy");
        return explainedBy != null && !explainedBy.isJsonNull();
    }
}
