// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own log of its collections, in a file that is deleted as soon as it is open: nothing
 * remains of it if the process is killed. The JVM writes lines within pauses, so the file is in
 * memory where that is possible. Safe for use by many threads.
 */
final class VmLog implements AutoCloseable {

    /** Unread bytes beyond these are given up. */
    static final long MOST = 1 << 20;

    /** A longer file is emptied once it is read. Each time a line can be lost. */
    private static final long LARGE = 256 << 10;

    private static final Path MEMORY = Path.of("/dev/shm");

    /** G1 and Parallel have up to a hundred lines of details of phases for each pause. */
    private static final String WHAT =
            "what=gc=info,gc+phases+ref=debug,gc+jni=debug,gc+promotion=info,gc+phases=";

    private final VmLogParser parser;
    private final MBeanServer server;
    private final Path folder;
    private final Path path;
    private final RandomAccessFile file;
    private final byte[] buffer = new byte[8 << 10]; // Larger reads allocate.
    private long position;

    /** Whether the JVM may have it open. */
    private boolean isOpen = true;

    /** Creates the file in a folder. */
    VmLog(VmLogParser parser, MBeanServer server, Path place) throws IOException {
        this.parser = parser;
        this.server = server;
        parser.gap(); // It may have half a line of an earlier log.
        this.folder = Files.createTempDirectory(place, "heapsampler"); // For its owner only.
        Path created = folder;
        RandomAccessFile opened;
        try {
            created = Files.createTempFile(folder, "gc", ".log");
            opened = new RandomAccessFile(created.toFile(), "rw");
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(created);
            Files.deleteIfExists(folder);
            throw e;
        }
        this.path = created;
        this.file = opened;
    }

    /** Opens it, and deletes its name. Fails if this JVM has no such command or refuses it. */
    void open(GarbageCollector collector) throws IOException, JMException {
        boolean isVerbose =
                collector == GarbageCollector.G1 || collector == GarbageCollector.PARALLEL;
        try {
            if (!path.toString().matches("[\\w/.+-]+")) {
                throw new IOException("the JVM cannot log to " + path);
            }
            String fold = Runtime.version().feature() < 21 ? "" : ",foldmultilines=true";
            String refused =
                    command(
                            "output=" + path,
                            WHAT + (isVerbose ? "info" : "debug"),
                            "decorators=uptimenanos,tags",
                            "output_options=filecount=0" + fold);
            if (!refused.isBlank()) {
                throw new IOException(refused.strip());
            }
        } catch (ReflectionException e) {
            isOpen = false;
            throw new IOException("this JVM has no VM.log for beans: it needs jdk.jfr for it", e);
        } catch (JMException e) {
            isOpen = false; // The command did not run.
            throw e;
        } finally {
            delete();
        }
    }

    private void delete() throws IOException {
        Files.deleteIfExists(path);
        Files.deleteIfExists(folder);
    }

    /** Returns a folder in memory if that has room. */
    static Path place() throws IOException {
        boolean isMemory =
                Files.isWritable(MEMORY)
                        && Files.getFileStore(MEMORY).type().equals("tmpfs")
                        && Files.getFileStore(MEMORY).getUsableSpace() > 16 * MOST;
        return isMemory ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Returns the server of the JVM's beans; null if nothing has created it. To create it loads 700
     * classes and all beans, among them those of logging, which the application may still set up.
     */
    static @Nullable MBeanServer server() throws JMException {
        for (MBeanServer each : MBeanServerFactory.findMBeanServer(null)) {
            if (each.isRegistered(new ObjectName(ManagementFactory.RUNTIME_MXBEAN_NAME))) {
                return each;
            }
        }
        return null;
    }

    private String command(String... arguments) throws JMException {
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        String[] signature = {String[].class.getName()};
        return (String) server.invoke(commands, "vmLog", new Object[] {arguments}, signature);
    }

    /** Reads new lines. */
    synchronized void read() throws IOException {
        bound();
        file.seek(position);
        for (int n = file.read(buffer); n > 0; n = file.read(buffer)) {
            parser.parse(buffer, n);
            position += n;
        }
        if (position > LARGE && file.length() == position) {
            empty();
        }
    }

    /** Empties the file if nothing has read it for too long. */
    synchronized void bound() {
        try {
            if (file.length() - position > MOST) {
                empty();
                parser.gap();
            }
        } catch (IOException e) {
            // It is closed; otherwise reading fails too.
        }
    }

    /** The JVM appends. */
    private void empty() throws IOException {
        file.setLength(0);
        position = 0;
    }

    /** Does not remove what a user has removed: the JVM would open a file of that name for it. */
    @Override
    public synchronized void close() throws IOException, JMException {
        if (isOpen && command("list").contains(path.toString())) {
            command("output=" + path, "what=all=off");
        }
        file.close();
        delete(); // Unless it is, as everywhere but on Windows.
    }
}
