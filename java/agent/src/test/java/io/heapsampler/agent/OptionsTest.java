// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.SamplingStrategy;
import io.heapsampler.agent.AgentOptions.RecorderKind;
import io.heapsampler.agent.OptionReader.Placeholders;
import io.heapsampler.export.ExportFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sources and meaning of options, and the messages about wrong ones. */
class OptionsTest {

    private static final Placeholders PLACEHOLDERS =
            new Placeholders(4711, Instant.parse("2026-11-22T10:15:00Z"));

    @TempDir private Path folder;
    private final Properties properties = new Properties();
    private final Map<String, String> environment = new HashMap<>();

    private AgentOptions read(@Nullable String argument) {
        return new AgentOptions(OptionReader.read(argument, properties, environment, PLACEHOLDERS));
    }

    private Path file(String... lines) throws IOException {
        return Files.writeString(folder.resolve("flame.properties"), String.join("\n", lines));
    }

    @Test
    void unsetOptionsHaveTheirDefaults() throws Exception {
        AgentOptions options = read(null);

        assertThat(options.recorder).isEqualTo(RecorderKind.FLAME);
        assertThat(options.sampler.strategy().kind()).isEqualTo(SamplingStrategy.Kind.BYTES);
        assertThat(options.sampler.interval()).isEqualTo(512 * 1024);
        assertThat(options.outputFile).isEqualTo(Path.of("stacks.txt").toAbsolutePath());
        assertThat(options.outputInterval).isEqualTo(Duration.ofSeconds(1));
        assertThat(RunningAgent.requested((512 << 10) - 1, options)).hasSeconds(1);
        assertThat(RunningAgent.requested(512 << 10, options)).hasSeconds(10);
        assertThat(options.delay).isZero();
        assertThat(options.httpPort).isEmpty();
        assertThat(options.reportOnExit).isEmpty();
        assertThat(options.exitTimeout).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void theEightKeysOfTheFlameSamplerMeanWhatTheyMeant() throws Exception {
        Path file =
                file(
                        "recorder=flame",
                        "output.file=/tmp/stacks.txt",
                        "stack.trace.verbosity=methodClassLineNumber",
                        "record.size=false",
                        "sample.delay.secs=30",
                        "sample.strategy=time",
                        "sample.interval.ms=100",
                        "sample.rate=100000");

        AgentOptions options = read(file.toString());

        assertThat(options.recorder).isEqualTo(RecorderKind.FLAME);
        assertThat(options.outputFile).isEqualTo(Path.of("/tmp/stacks.txt"));
        assertThat(options.lines)
                .isEqualTo(
                        new StackLines(
                                StackLines.Verbosity.METHOD_CLASS_LINE_NUMBER,
                                true,
                                false,
                                false,
                                false,
                                List.of(),
                                List.of()));
        assertThat(options.delay).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.sampler.strategy().period()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void argumentBeforePropertyBeforeEnvironmentBeforeFile() throws Exception {
        Path file = file("interval=1k", "maxDepth=1", "snapshotFiles=1", "recorder=snapshot");
        properties.setProperty("heapsampler.agent.interval", "3k");
        properties.setProperty("heapsampler.agent.maxDepth", "3");
        environment.put("HEAPSAMPLER_AGENT_INTERVAL", "2k");
        environment.put("HEAPSAMPLER_AGENT_MAX_DEPTH", "2");
        environment.put("HEAPSAMPLER_AGENT_SNAPSHOT_FILES", "2");

        AgentOptions options = read(file + ",interval=4k");

        assertThat(options.sampler.interval()).isEqualTo(4096);
        assertThat(options.sampler.maxDepth()).isEqualTo(3);
        assertThat(options.snapshotFiles).isEqualTo(2);
        assertThat(options.recorder).isEqualTo(RecorderKind.SNAPSHOT);
    }

    @Test
    void theFileCanBeNamedAnywhere() throws Exception {
        environment.put("HEAPSAMPLER_AGENT_FILE", file("recorder = lifetime").toString());

        assertThat(read("").recorder).isEqualTo(RecorderKind.LIFETIME);
    }

    @Test
    void pathsHaveCommasAndPlaceholders() throws Exception {
        AgentOptions options =
                read("recorder=snapshot,output.file=/var/a\\,b/heap-%p-%t.hsnap,interval=64K");

        assertThat(options.outputFile)
                .isEqualTo(Path.of("/var/a,b/heap-4711-20261122-101500.hsnap"));
        assertThat(options.outputInterval).isEqualTo(Duration.ofMinutes(1));
        assertThat(RunningAgent.requested(512 << 10, options)).hasMinutes(1);
        assertThat(options.sampler.interval()).isEqualTo(65_536);
    }

    @ParameterizedTest
    @CsvSource({
        "sample.rate=5, ALLOCATIONS",
        "sample.interval.ms=5, TIME",
        "'sample.rate=5,sample.interval.ms=5', ALLOCATIONS",
        "'sample.interval.ms=5,interval=1m', TIME",
        "'sample.rate=5,sample.interval.ms=5,sample.strategy=time', TIME",
        "sample.strategy=ALLOCATIONCOUNT, ALLOCATIONS"
    })
    void aRateOrAPeriodAloneImpliesTheStrategy(String argument, SamplingStrategy.Kind strategy)
            throws Exception {
        assertThat(read(argument).sampler.strategy().kind()).isEqualTo(strategy);
    }

    @Test
    void aKeyGivenTwiceIsRefused() throws Exception {
        assertThatThrownBy(() -> read("interval=1k,live=true,interval=2k"))
                .hasMessage(
                        "The option interval is given twice (in the agent's argument), and only one"
                                + " can hold. Remove the other.");
        Path file = file("interval=1k", "interval: 2k");
        assertThatThrownBy(() -> read(file.toString()))
                .hasMessageStartingWith("The option interval is given twice (in " + file + ")");
        assertThatThrownBy(() -> read(file + ",file=" + file))
                .hasMessageStartingWith("The option file is given twice");
    }

    @Test
    void variablesOfAKubernetesServiceAreNoOptions() throws Exception {
        for (String name : List.of("", "HTTP_", "OF_ALL_")) {
            environment.put("HEAPSAMPLER_AGENT_" + name + "SERVICE_HOST", "10.0.0.1");
            environment.put("HEAPSAMPLER_AGENT_" + name + "SERVICE_PORT", "80");
            environment.put("HEAPSAMPLER_AGENT_" + name + "SERVICE_PORT_WEB", "80");
            environment.put("HEAPSAMPLER_AGENT_" + name + "PORT", "tcp://10.0.0.1:80");
            environment.put("HEAPSAMPLER_AGENT_" + name + "PORT_80_TCP", "tcp://10.0.0.1:80");
            environment.put("HEAPSAMPLER_AGENT_" + name + "PORT_80_TCP_PROTO", "tcp");
            environment.put("HEAPSAMPLER_AGENT_" + name + "PORT_80_TCP_ADDR", "10.0.0.1");
        }

        assertThat(read(null).httpPort).isEmpty();
        environment.put("HEAPSAMPLER_AGENT_HTTP_PORT", "8080");
        assertThat(read(null).httpPort).hasValue(8080);
    }

    @Test
    void anUnknownKeyIsRefusedWithTheKnownOnesAndItsOrigin() throws Exception {
        Path file = file("sampel.rate=5");

        assertThatThrownBy(() -> read(file.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "There is no option \"sampel.rate\" (in "
                                + file
                                + "). The options are: "
                                + Option.keys()
                                + ".");
        assertThat(Option.keys())
                .startsWith(
                        "doctor, doctorFile, doctorHolders, doctorJvmLog, exclude,"
                                + " exitTimeoutMs,");
    }

    @Test
    void unknownPropertiesAndVariablesAreRefused() {
        properties.setProperty("heapsampler.agent.intervall", "1");
        assertThatThrownBy(() -> read(null))
                .hasMessageStartingWith(
                        "There is no option \"heapsampler.agent.intervall\" (in the system"
                                + " properties). The options are: ");
        properties.clear();
        environment.put("HEAPSAMPLER_AGENT_INTERVALL", "1");
        assertThatThrownBy(() -> read(null))
                .hasMessageStartingWith(
                        "There is no option \"HEAPSAMPLER_AGENT_INTERVALL\" (in the environment).");
    }

    @ParameterizedTest
    @CsvSource({
        "max.overhead, maxOverhead",
        "max.depth, maxDepth",
        "max.tracked, maxTracked",
        "output.format, outputFormat",
        "output.bytes, outputBytes",
        "output.interval.secs, outputIntervalSecs",
        "type.names, typeNames",
        "lifetime.max.mb, lifetimeMaxMb",
        "snapshot.files, snapshotFiles",
        "snapshot.max.mb, snapshotMaxMb",
        "http.port, httpPort",
        "http.token.file, httpTokenFile",
        "report.on.exit, reportOnExit",
        "report.on.oom, reportOnOom",
        "doctor.file, doctorFile",
        "exit.timeout.ms, exitTimeoutMs",
    })
    void oldSpellingsAreRefusedWithTheNewOne(String old, String now) {
        assertThatThrownBy(() -> read(old + "=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The option \"%s\" (in the agent's argument) has been renamed. Write \"%s\""
                                + " instead.",
                        old, now);
        properties.setProperty("heapsampler.agent." + old, "1");
        assertThatThrownBy(() -> read(null))
                .hasMessage(
                        "The option \"heapsampler.agent.%s\" (in the system properties) has been"
                                + " renamed. Write \"heapsampler.agent.%s\" instead.",
                        old, now);
    }

    @Test
    void otherPropertiesAndVariablesAreIgnored() throws Exception {
        properties.setProperty("heapsampler.tmpdir", "/tmp");
        environment.put("HEAPSAMPLER_JDK_21", "/opt");

        assertThat(read(null).recorder).isEqualTo(RecorderKind.FLAME);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "recorder=fire",
                "output.file=",
                "stack.trace.verbosity=all",
                "record.size=yes",
                "sample.delay.secs=-1",
                "sample.strategy=often",
                "sample.interval.ms=0",
                "sample.rate=0",
                "interval=2g",
                "interval=-1",
                "interval=2048m",
                "maxDepth=0",
                "maxTracked=many",
                "maxTracked=2097153",
                "maxOverhead=0",
                "maxOverhead=1.1",
                "maxOverhead=1%",
                "live=1",
                "include=com.acme::org",
                "exclude=",
                "outputFormat=svg",
                "labels=endpoint",
                "label=",
                "outputBytes=some",
                "outputIntervalSecs=0",
                "typeNames=short",
                "lifetimeMaxMb=0",
                "snapshotFiles=0",
                "snapshotMaxMb=0",
                "httpPort=65536",
                "httpTokenFile=",
                "reportOnExit=",
                "reportOnExit=heap.pdf",
                "reportOnOom=",
                "reportNearLimit=",
                "nearLimitShare=0",
                "nearLimitShare=1",
                "nearLimitShare=90",
                "nearLimitShare=NaN",
                "nearLimitShare=90%",
                "exitTimeoutMs=60001"
            })
    void aBadValueIsRefusedWithTheValidOnesAndItsOrigin(String pair) {
        String key = pair.substring(0, pair.indexOf('='));
        String values = Option.ofKey(key).orElseThrow().takes;

        assertThatThrownBy(() -> read(pair))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        pair + " (in the agent's argument) is not valid. It takes " + values + ".");
    }

    @ParameterizedTest
    @CsvSource({
        "'recorder=snapshot,outputFormat=json', outputFormat=json, recorder=flame",
        "'recorder=lifetime,live=true', live=true, recorder=flame",
        "lifetimeMaxMb=3, lifetimeMaxMb=3, recorder=lifetime",
        "snapshotFiles=3, snapshotFiles=3, recorder=snapshot",
        "label=endpoint, label=endpoint, 'reportOnExit, or recorder=flame with another outputFormat"
                + " than stacks'",
        "'recorder=snapshot,labels=false', labels=false, 'reportOnExit, or recorder=flame with"
                + " another outputFormat than stacks'",
        "nearLimitShare=0.8, nearLimitShare=0.8, reportNearLimit",
        "'interval=1m,sample.rate=5', interval=1m, sample.strategy=bytes or time",
        "'sample.rate=5,sample.strategy=bytes', sample.rate=5, "
                + "sample.strategy=allocationCount or time",
        "'sample.interval.ms=5,sample.strategy=bytes', sample.interval.ms=5, "
                + "sample.strategy=allocationCount or time",
        "httpTokenFile=/x, httpTokenFile=/x, httpPort",
        "'outputFormat=json,include=com.acme', include=com.acme, "
                + "'recorder=lifetime, or recorder=flame with outputFormat=stacks'"
    })
    void anOptionWithoutEffectIsRefused(String argument, String option, String needed) {
        assertThatThrownBy(() -> read(argument))
                .hasMessage(
                        option
                                + " (in the agent's argument) needs "
                                + needed
                                + ". Set that, or remove the option.");
    }

    @Test
    void aMissingOrBinaryFileIsRefused() throws Exception {
        assertThatThrownBy(() -> read("/no/such.properties"))
                .hasMessage(
                        "The file /no/such.properties (from the agent's argument) does not exist."
                                + " Name a file with options, best by its whole path.");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFF, (byte) 0xFE});
        assertThatThrownBy(() -> read(binary.toString()))
                .hasMessageEndingWith("is not a properties file in UTF-8. Correct it.");
        Path nested = file("file=other.properties");
        assertThatThrownBy(() -> read(nested.toString()))
                .hasMessageEndingWith("cannot name another file. Remove that line.");
    }

    @Test
    void anArgumentWithoutKeyIsRefused() {
        assertThatThrownBy(() -> read("interval=1k,flame.properties"))
                .hasMessageStartingWith(
                        "\"flame.properties\" in the agent's argument is not a pair key=value.");
    }

    @ParameterizedTest
    @EnumSource(ExportFormat.class)
    void eachFormatIsAnOutputFormat(ExportFormat format) throws Exception {
        AgentOptions options = read("outputFormat=" + format.name().toLowerCase());

        assertThat(options.format.suffix()).isEqualTo(format.suffix());
        assertThat(options.outputFile.toString()).endsWith("/heap" + format.suffix());
        assertThat(Option.OUTPUT_FORMAT.takes).contains(format.name().toLowerCase());
    }

    @Test
    void labelsOfFilesCanBeChosen() throws Exception {
        AgentOptions options = read("outputFormat=csv,label=endpoint");
        assertThat(options.outputFile.toString()).endsWith("/heap.csv");
        assertThat(read("labels=false,reportOnExit=heap.html").reportOnExit).isPresent();
        for (String argument :
                List.of(
                        "outputFormat=hsnap,label=endpoint",
                        "labels=false,reportOnExit=heap.hsnap")) {
            assertThatThrownBy(() -> read(argument))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("HSNAP always contains all labels");
        }
    }

    @Test
    void aFileOfTheDoctorNeedsAKnownEndingAndTheDoctor() throws Exception {
        AgentOptions options = read("doctor=true,doctorFile=doctor.html");

        assertThat(options.hasDoctor).isTrue();
        assertThat(options.hasJvmLog).isTrue();
        assertThat(read("doctor=true,doctorJvmLog=false").hasJvmLog).isFalse();
        assertThat(options.hasDoctorHolders).isTrue();
        assertThat(read("doctor=true,doctorHolders=false").hasDoctorHolders).isFalse();
        assertThat(options.doctorFile.orElseThrow().toString()).endsWith("/doctor.html");
        assertThatThrownBy(() -> read("doctor=true,doctorFile=doctor.pdf"))
                .hasMessageContaining("a path that ends in .txt, .json or .html");
        assertThatThrownBy(() -> read("doctorFile=doctor.txt")).hasMessageContaining("doctor=true");
    }

    /** The table of the README is complete and has the same defaults. */
    @Test
    void theReadmeHasEachOptionWithItsDefault() throws Exception {
        String readme = Files.readString(Path.of("../../README.md"));
        String agent = readme.substring(readme.indexOf("\n## The agent\n"));

        for (Option option : Option.values()) {
            String row =
                    agent.lines()
                            .filter(line -> line.startsWith("| `" + option.key + "` |"))
                            .findFirst()
                            .orElse("");
            assertThat(row).as(option.key).isNotEmpty();
            if (!option.usual.isEmpty()) {
                assertThat(row).contains("| `" + option.usual + "` |");
            }
        }
    }
}
