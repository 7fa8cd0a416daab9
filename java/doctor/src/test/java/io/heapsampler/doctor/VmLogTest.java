// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.attribute.PosixFilePermission.OWNER_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.condition.OS.LINUX;

import io.heapsampler.GarbageCollector;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/** The log of this JVM, whichever that is. */
@EnabledOnOs(LINUX)
class VmLogTest {

    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private static final Path MEMORY = Path.of("/dev/shm");

    private final History history = new History();

    /** Each phase is kept. */
    private final VmLogParser parser = new VmLogParser(history, new VmClock(), 0);

    private List<String> before;
    private VmLog log;

    @BeforeEach
    void open() throws Exception {
        before = outputs();
        log = new VmLog(parser, SERVER, VmLog.place());
        log.open(GarbageCollector.SERIAL);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        log.close();
        assertThat(outputs()).isEqualTo(before);
        assertThat(openFiles()).isEmpty();
        assertThat(names()).isEmpty();
    }

    private static String command(String... arguments) throws JMException {
        return (String)
                SERVER.invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmLog",
                        new Object[] {arguments},
                        new String[] {String[].class.getName()});
    }

    private static List<String> outputs() throws JMException {
        return command("list").lines().filter(line -> line.startsWith(" #")).toList();
    }

    /** The open files that were in a folder of a log. */
    private static List<Path> openFiles() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(it -> target(it).matches(".*/heapsampler\\d+/.*")).toList();
        }
    }

    private static Path descriptor() throws IOException {
        return openFiles().get(0);
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // It was closed meanwhile.
        }
    }

    private static List<Path> names() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path folder : List.of(MEMORY, Path.of(System.getProperty("java.io.tmpdir")))) {
            try (Stream<Path> all = Files.list(folder)) {
                all.filter(it -> it.getFileName().toString().matches("heapsampler\\d+"))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private List<JvmEvent> collected() throws IOException {
        int known = events().size();
        System.gc();
        log.read();
        List<JvmEvent> all = events();
        return all.subList(Math.min(known, all.size()), all.size());
    }

    private List<JvmEvent> events() {
        return history.timeline(Samples.settings(), 0).events();
    }

    @Test
    void aCollectionHasPhases() throws Exception {
        assertThat(collected()).anyMatch(it -> it.type().startsWith("GCPhasePause"));
    }

    @Test
    void othersKeepTheirOutputs() throws Exception {
        assertThat(outputs()).hasSize(before.size() + 1).containsAll(before);
    }

    @Test
    void theFileHasNoName() throws Exception {
        assertThat(names()).isEmpty();
        assertThat(openFiles()).hasSize(2); // The JVM's and ours.
    }

    @Test
    void aUserMayDisableIt() throws Exception {
        List<String> ours = new ArrayList<>(outputs());
        ours.removeAll(before);
        String path = ours.get(0).replaceFirst(".*file=(\\S+) .*", "$1");
        command("output=" + path, "what=all=off");

        assertThat(collected()).isEmpty();
        log.close();
        log.close();
    }

    @Test
    void afterClosingNothingIsRead() throws Exception {
        log.close();
        log.bound();

        assertThatThrownBy(log::read).isInstanceOf(IOException.class);
    }

    @Test
    void aPathThatTheJvmWouldMisreadIsRefused(@TempDir Path folder) throws Exception {
        Path strange = Files.createDirectory(folder.resolve("a b,c"));
        VmLog other = new VmLog(parser, SERVER, strange);

        assertThatThrownBy(() -> other.open(GarbageCollector.SERIAL)).hasMessageContaining("a b,c");
        other.close();
        assertThat(strange).isEmptyDirectory();
    }

    @Test
    void itsFileIsForItsOwnerOnly(@TempDir Path folder) throws Exception {
        VmLog other = new VmLog(parser, SERVER, folder);
        Path own = only(folder);

        assertThat(Files.getPosixFilePermissions(own))
                .containsExactlyInAnyOrder(OWNER_READ, OWNER_WRITE, OWNER_EXECUTE);
        assertThat(Files.getPosixFilePermissions(only(own)))
                .containsExactlyInAnyOrder(OWNER_READ, OWNER_WRITE);
        other.close();
        assertThat(folder).isEmptyDirectory();
    }

    /** As if the thread that reads could not run for long. */
    @Test
    void whatNothingReadsIsGivenUp() throws Exception {
        Files.write(descriptor(), new byte[(int) VmLog.MOST + 1], APPEND);
        log.bound();
        assertThat(Files.size(descriptor())).isZero();
        assertThat(collected()).isNotEmpty();
    }

    @Test
    void aLongFileIsEmptiedOnceItIsRead() throws Exception {
        Files.write(descriptor(), "x\n".repeat(150_000).getBytes(UTF_8), APPEND);
        log.read();
        assertThat(Files.size(descriptor())).isZero();
        assertThat(collected()).isNotEmpty();
    }

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.findFirst().orElseThrow();
        }
    }

    @Test
    void theServerIsFoundAmongOthers() throws Exception {
        MBeanServer other = MBeanServerFactory.createMBeanServer("other");
        assertThat(VmLog.server()).isSameAs(SERVER);
        MBeanServerFactory.releaseMBeanServer(other);
    }

    /** A JVM without the module jdk.management. */
    @Test
    void withoutTheCommandItFailsAndLeavesNothing(@TempDir Path folder) throws Exception {
        VmLog other = new VmLog(parser, MBeanServerFactory.newMBeanServer(), folder);

        assertThatThrownBy(() -> other.open(GarbageCollector.SERIAL))
                .hasMessageContaining("DiagnosticCommand");
        other.close();
        assertThat(folder).isEmptyDirectory();
    }

    /** Once a second while the heap is full, perhaps. */
    @Test
    void whereItsFileCannotBeOpenedItLeavesNothing(@TempDir Path folder) throws Exception {
        Map<String, String> create = Map.of("create", "true");
        try (FileSystem zip = FileSystems.newFileSystem(folder.resolve("a.zip"), create)) {
            Path place = zip.getPath("/");

            assertThatThrownBy(() -> new VmLog(parser, SERVER, place))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(place).isEmptyDirectory();
        }
    }

    /** A bean without operations. */
    public interface NothingMBean {}

    public static final class Nothing implements NothingMBean {}

    /** A JVM without the module jdk.jfr offers almost none of its commands to beans. */
    @Test
    void itSaysThatTheModuleIsMissingWithWhichTheCommandIs(@TempDir Path folder) throws Exception {
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
        server.registerMBean(new Nothing(), name);
        VmLog other = new VmLog(parser, server, folder);

        assertThatThrownBy(() -> other.open(GarbageCollector.SERIAL))
                .hasMessageContaining("jdk.jfr");
        other.close();
        assertThat(folder).isEmptyDirectory();
    }
}
