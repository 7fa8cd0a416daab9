// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The output of the commands over saved snapshots with {@code --json}. */
class JsonOutputTest extends CommandTest {

    @Test
    void topAsJsonHasTheFiguresOfTheSnapshot() throws IOException {
        HeapSnapshot snapshot = HeapSnapshot.read(later);
        HeapSite largest = snapshot.topByAllocated(1).get(0);

        assertThat(run("top", later, "-n", "2", "--json")).as(err.toString()).isEqualTo(DONE);
        JsonObject json = json();
        assertThat(json.get("schema").getAsString()).isEqualTo("urn:heapsampler:top:1");
        assertThat(json.get("by").getAsString()).isEqualTo("SITE");
        assertThat(json.get("metric").getAsString()).isEqualTo("ALLOCATED_BYTES");
        assertThat(json.get("unit").getAsString()).isEqualTo("bytes");
        JsonObject head = json.getAsJsonObject("snapshot");
        assertThat(head.get("file").getAsString()).isEqualTo(later.toString());
        assertThat(head.get("takenAt").getAsString()).isEqualTo(snapshot.takenAt().toString());
        assertThat(head.get("interval").getAsLong()).isEqualTo(snapshot.interval());
        assertThat(head.get("sites").getAsInt()).isEqualTo(snapshot.sites().size());
        assertThat(head.getAsJsonArray("notes")).hasSameSizeAs(snapshot.notes()).isNotEmpty();
        JsonObject note = head.getAsJsonArray("notes").get(0).getAsJsonObject();
        assertThat(note.get("id").getAsString()).isEqualTo(snapshot.notes().get(0).id());
        assertThat(note.get("text").getAsString()).isEqualTo(snapshot.notes().get(0).text());
        assertThatItIs(json.getAsJsonObject("total"), snapshot.totals().allocated().bytes());
        assertThat(json.getAsJsonArray("rows")).hasSize(2);
        JsonObject row = json.getAsJsonArray("rows").get(0).getAsJsonObject();
        assertThat(row.get("class").getAsString()).isEqualTo(largest.className());
        assertThat(row.getAsJsonArray("stack")).hasSameSizeAs(largest.stack());
        assertThat(row.getAsJsonArray("stack").get(0).getAsString())
                .isEqualTo(largest.stack().get(0).toString());
        assertThat(row.get("moreFrames").getAsInt()).isZero();
        assertThat(row.get("share").getAsDouble()).isBetween(0.0, 1.0);
        assertThatItIs(row.getAsJsonObject("figure"), largest.allocated().bytes());
        assertThat(out.toString()).hasLineCount(1);
    }

    /** The writer keeps six significant digits. */
    private static void assertThatItIs(JsonObject json, Estimate estimate) {
        Percentage sixDigits = Percentage.withPercentage(1e-3);
        assertThat(json.get("value").getAsDouble()).isCloseTo(estimate.value(), sixDigits);
        assertThat(json.get("error").getAsDouble()).isCloseTo(estimate.standardError(), sixDigits);
        assertThat(json.get("low").getAsDouble()).isCloseTo(estimate.low(), sixDigits);
        assertThat(json.get("high").getAsDouble()).isCloseTo(estimate.high(), sixDigits);
        assertThat(json.get("samples").getAsLong()).isEqualTo(estimate.samples());
        assertThat(json.get("tooFewSamples").getAsBoolean()).isEqualTo(estimate.hasTooFewSamples());
    }

    @Test
    void topAsJsonKeepsToTheDepthAndNamesThreads() throws IOException {
        int frames = HeapSnapshot.read(later).topByAllocated(1).get(0).stack().size();
        run("top", later, "-n", "1", "-d", "2", "--json");
        JsonObject site = json().getAsJsonArray("rows").get(0).getAsJsonObject();
        assertThat(site.getAsJsonArray("stack")).hasSize(2);
        assertThat(site.get("moreFrames").getAsInt()).isEqualTo(frames - 2);

        out.getBuffer().setLength(0);
        run("top", later, "-b", "thread", "--json");
        assertThat(json().getAsJsonArray("rows").asList())
                .anySatisfy(
                        row -> {
                            JsonObject thread = row.getAsJsonObject();
                            assertThat(thread.get("thread").getAsString()).isEqualTo("worker-1");
                            assertThat(thread.get("id").getAsLong()).isPositive();
                        });
        out.getBuffer().setLength(0);
        run("top", later, "-b", "class", "--json");
        assertThat(json().getAsJsonArray("rows").asList())
                .anySatisfy(
                        row ->
                                assertThat(row.getAsJsonObject().get("class").getAsString())
                                        .isEqualTo("byte[]"));
    }

    @Test
    void diffAsJsonHasTheChangesOfTheDifference() throws IOException {
        Path before = sites("before.hsnap", 10, 33, 33);
        Path after = sites("leak.hsnap", 20, 33, 80);
        HeapDiff diff = HeapSnapshot.read(after).diff(HeapSnapshot.read(before));

        assertThat(run("diff", before, after, "-g", "--json")).as(err.toString()).isEqualTo(DONE);
        JsonObject json = json();
        assertThat(json.get("schema").getAsString()).isEqualTo("urn:heapsampler:diff:1");
        assertThat(json.getAsJsonObject("earlier").get("file").getAsString())
                .isEqualTo(before.toString());
        assertThat(json.getAsJsonObject("later").get("file").getAsString())
                .isEqualTo(after.toString());
        assertThat(json.get("elapsedMillis").getAsLong()).isEqualTo(10_000);
        assertThat(json.get("growingOnly").getAsBoolean()).isTrue();
        assertThatItIs(json.getAsJsonObject("before"), diff.earlier().totals().live().bytes());
        assertThatItIs(json.getAsJsonObject("after"), diff.later().totals().live().bytes());
        assertThat(json.getAsJsonArray("rows")).hasSize(1);
        JsonObject row = json.getAsJsonArray("rows").get(0).getAsJsonObject();
        assertThat(row.get("class").getAsString()).isEqualTo("a.Site0");
        assertThatItIs(row.getAsJsonObject("change"), diff.growing().get(0).live().bytes());
    }

    @Test
    void aWrittenFileIsNamedAsJson() {
        Path file = folder.resolve("delta.pb.gz");
        assertThat(run("diff", earlier, later, "-o", file, "--json")).isEqualTo(DONE);
        assertThat(json())
                .hasToString(
                        "{\"schema\":\"urn:heapsampler:file:1\",\"file\":\""
                                + file
                                + "\",\"format\":\"PPROF\"}");

        out.getBuffer().setLength(0);
        assertThat(run("report", later, "--json")).isEqualTo(DONE);
        assertThat(json().get("file").getAsString())
                .isEqualTo(folder.resolve("later.html").toString());
        assertThat(json().get("format").getAsString()).isEqualTo("HTML");
    }

    @Test
    void jsonAndAFileOnStandardOutputExcludeEachOther() {
        assertThat(run("convert", later, "-f", "csv", "-o", "-", "--json")).isEqualTo(WRONG);
        assertThat(err.toString()).contains("--json and -o - both write to standard output.");
    }

    @Test
    void errorsStayTextWithJson() {
        assertThat(run("top", folder.resolve("none.hsnap"), "--json")).isEqualTo(FAILED);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).startsWith("heapsampler: ").contains("does not exist.");
    }
}
