// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent from the start of an application on. */
class AgentTest {

    /** No file can have that name: it would be longer than names can be. */
    private static final String UNWRITABLE = "x".repeat(300);

    @TempDir private Path folder;

    private static Jdk first() {
        return Jdk.all().get(0);
    }

    @Test
    void wrongOptionsLeaveTheApplicationAlone() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder).agent("recorder=flame,sampel.rate=5").run("nothing");

        assertThat(end.code()).isZero();
        assertThat(end.output())
                .contains(
                        "HeapSampler does not sample: There is no option \"sampel.rate\" (in the"
                                + " agent's argument). The options are: doctor, ")
                .contains("Correct it and start again; see README, \"The agent\".")
                .endsWith("state=NEW\n");
        assertThat(folder.resolve("stacks.txt")).doesNotExist();
    }

    /** The whole of a core, as an application has it that was built with another version. */
    @Test
    void coreOfAnotherVersionOnTheClassPathIsRefused() throws Exception {
        Path other = folder.resolve("heapsampler-core-9.9.9.jar");
        Files.copy(AgentJvm.core(), other);
        try (FileSystem jar = FileSystems.newFileSystem(other)) {
            Files.writeString(
                    jar.getPath("META-INF/heapsampler/core.properties"), "version=9.9.9\n");
        }

        JvmProcess.End end = new AgentJvm(first(), folder).before(other).agent("").run("origin");

        assertThat(end.output())
                .contains("heapsampler-core on the class path has version 9.9.9")
                .endsWith("state=NEW\nfrom=heapsampler-core-9.9.9.jar\n");
    }

    /**
     * Servers install a log manager first of all in main; the first who logs would take its place.
     */
    @Test
    void theLoggingIsLeftToTheApplication() throws Exception {
        String options = "reportOnOom=oom.txt,httpPort=0,doctor=true,exitTimeoutMs=60000";

        JvmProcess.End end = new AgentJvm(first(), folder).agent(options).run("logging");
        JvmProcess.End byFlag =
                new AgentJvm(first(), folder)
                        .agent(options)
                        .flags("-Djava.util.logging.manager=" + App.OwnManager.class.getName())
                        .run("logging");

        assertThat(end.output()).isEqualTo("made in main\nmanager=own\n");
        assertThat(byFlag.output()).isEqualTo("made in main\nmanager=own\n");
    }

    /** The JDK's own logging closes its handlers when the JVM ends. */
    @Test
    void theLastMessagesAreHeard() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent(
                                "recorder=none,exitTimeoutMs=60000,reportOnExit="
                                        + UNWRITABLE
                                        + ".html")
                        .run("nothing");

        assertThat(end.code()).isZero();
        assertThat(end.output())
                .contains("WARNING: The agent cannot write to " + folder.resolve(UNWRITABLE))
                .contains("Is there room, and may it write there?");
    }

    @Test
    void anApplicationJoinsAnAgentWithASmallerIntervalAndDoesNotEndIt() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder).agent("recorder=none,interval=64k").run("join");

        assertThat(end.output())
                .isEqualTo(
                        "interval=65536\n"
                                + "holders=[agent, application]\n"
                                + "holders=[agent]\n"
                                + "state=RUNNING\n");
        assertThat(end.code()).isZero();
    }

    @Test
    void aCopyInAnotherClassLoaderFindsTheEngine() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent("recorder=none")
                        .flags("-Dcopy=" + AgentJvm.JAR)
                        .run("copy");

        assertThat(end.output()).isEqualTo("another=true\nsupported=true\nstate=RUNNING\n");
    }

    /** A pipe without a reader holds the writer forever. */
    @Test
    void theExitWaitsForNoReader() throws Exception {
        Process mkfifo = new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor()).isZero();

        AtomicLong done = new AtomicLong();
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent("output.file=pipe,exitTimeoutMs=100")
                        .flags("-Dapp.deaf=true")
                        .run(
                                "work",
                                (process, output) -> {
                                    Deadline.await(process, () -> says(output, "sites=true\n"));
                                    done.setPlain(System.nanoTime());
                                });
        Duration took = Duration.ofNanos(System.nanoTime() - done.getPlain());

        // Not the minute that the property of all these JVMs says. The default of two seconds
        // cannot be distinguished from it: on a busy machine the end of a JVM takes as long.
        assertThat(took).isLessThan(Duration.ofMillis(100).plusSeconds(20));
        assertThat(end.code()).isZero();
        assertThat(end.output()).startsWith("state=RUNNING\nsites=true\n");
    }

    /** 17 is the last that can be run with one by a flag alone. */
    @Test
    void aSecurityManagerKeepsTheAgentOutAndTheApplicationRuns() throws Exception {
        JvmProcess.End end =
                new AgentJvm(Jdk.own(), folder)
                        .agent("")
                        .flags("-Djava.security.manager", "-Djava.security.policy==" + policy())
                        .run("hello");

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains("HeapSampler does not sample: the security manager forbids it")
                .endsWith("hello\n");
    }

    /** All rights for the application, none for the agent. */
    private Path policy() throws Exception {
        String app = App.class.getProtectionDomain().getCodeSource().getLocation().toString();
        return Files.writeString(
                folder.resolve("app.policy"),
                "grant codeBase \"" + app + "-\" { permission java.security.AllPermission; };\n");
    }

    /** As in a runtime made by jlink. */
    @Test
    void theDoctorNamesTheModuleThatTheRuntimeLacks() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .flags("--limit-modules", "java.instrument,java.logging,java.management")
                        .agent("recorder=none,doctor=true")
                        .run("nothing");

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains(
                        "HeapSampler does not sample: The GC doctor needs the module"
                                + " jdk.management, which this Java runtime lacks. Add it to the"
                                + " runtime (jlink --add-modules jdk.management), or run without"
                                + " the doctor.");
    }

    @Test
    void theCommandsNameTheModuleThatTheRuntimeLacks() throws Exception {
        JvmProcess.End end =
                AgentJvm.commandWithout(
                        first(), folder, "java.logging,java.management", "watch", "1");

        assertThat(end.code()).isEqualTo(1);
        assertThat(end.output())
                .isEqualTo(
                        "heapsampler: This Java runtime cannot attach to a JVM: it lacks the module"
                                + " jdk.attach. Run this command with a JDK of version 17 or later,"
                                + " or add the module to the runtime (jlink --add-modules"
                                + " jdk.attach).\n");
    }

    @Test
    void theApplicationMayBeOnTheModulePath() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .withCoreAsModule()
                        .agent("recorder=none")
                        .run("nothing");

        assertThat(end.output()).isEqualTo("state=RUNNING\n");
    }

    @Test
    void theReportIsWrittenThoughTheRecorderFails() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent("reportOnExit=r.html,exitTimeoutMs=60000,output.file=" + UNWRITABLE)
                        .run("nothing");

        assertThat(end.code()).isZero();
        assertThat(folder.resolve("r.html")).isNotEmptyFile();
    }

    /** The doctor of the agent is not that of the application, and leaves its classes alone. */
    @Test
    void theDoctorWritesWhatItHasSeen() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent(
                                "recorder=none,doctor=true,doctorFile=doctor.txt,"
                                        + "reportOnExit=report.html,exitTimeoutMs=60000")
                        .run("work");

        assertThat(end.code()).as(end.output()).isZero();
        assertThat(folder.resolve("doctor.txt"))
                .content()
                .startsWith("GC doctor: ")
                .contains("promotion.premature");
        assertThat(folder.resolve("report.html")).content().contains("id=\"diagnosis\"");
    }

    /** Whatever the agent starts, it is the application that says when the JVM ends. */
    @Test
    void noThreadOfTheAgentKeepsTheJvmFromEnding() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent(
                                "output.file=stacks.txt,httpPort=0,doctor=true,interval=16k,"
                                        + "exitTimeoutMs=60000")
                        .run("threads");

        assertThat(end.output()).contains("not a daemon: [main]\n");
        assertThat(end.code()).as(end.output()).isZero();
    }

    /** The folder is there when the agent starts, and not when sampling does. */
    @Test
    void aFailureInTheAgentsThreadIsNotTheApplications() throws Exception {
        Files.createDirectory(folder.resolve("reports"));

        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent("sample.delay.secs=2,reportOnOom=reports/oom.txt")
                        .flags("-Dapp.strict=true")
                        .run(
                                "late",
                                (process, output) -> {
                                    Deadline.await(
                                            process, () -> says(output, "does not sample: "));
                                    Files.createFile(folder.resolve("end"));
                                });

        assumeThat(end.output()).as("the application was too slow").doesNotContain("RUNNING");
        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output()).endsWith("state=NEW\n");
    }

    private static boolean says(Path output, String text) throws IOException {
        return Files.readString(output).contains(text);
    }

    @Test
    void outOfMemoryLeavesTheLargestSites() throws Exception {
        JvmProcess.End end =
                new AgentJvm(first(), folder)
                        .agent("recorder=none,interval=64k,reportOnOom=oom.txt")
                        .flags("-Xmx48m")
                        .run("full");

        // The JVM itself reports the event as well.
        assertThat(end.output()).contains("survived\n");
        assertThat(folder.resolve("oom.txt")).content().contains("App.full");
    }

    @Test
    void whatEscapeAnalysisTakesAwayStaysAway() throws Exception {
        String options = "recorder=none,interval=64k";

        JvmProcess.End with =
                new AgentJvm(first(), folder)
                        .agent(options)
                        .flags("-XX:-BackgroundCompilation")
                        .run("points");
        JvmProcess.End without =
                new AgentJvm(first(), folder)
                        .agent(options)
                        .flags("-XX:-BackgroundCompilation", "-XX:-DoEscapeAnalysis")
                        .run("points");

        assertThat(with.output()).isEqualTo("points=none\n");
        assertThat(without.output()).isEqualTo("points=some\n");
    }
}
