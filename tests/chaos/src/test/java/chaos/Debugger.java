// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectCollectedException;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.LocatableEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.StepRequest;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Debugs a JVM that runs {@link Debugged}: breakpoints, steps, method entries, suspensions. */
final class Debugger implements JvmProcess.Companion {

    /** For -agentlib:jdwp. */
    static final String OPTIONS = "transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

    private static final Pattern PORT = Pattern.compile("at address: (?:[0-9.]+:)?([0-9]+)");
    private static final String READY = "ready to be debugged";
    private static final int PATIENCE_SECONDS = 200;
    private static final int ROUNDS = 25;
    private static final int EVENTS = 4;
    private static final long SUSPENDED_MILLIS = 20;

    @Override
    public void accompany(Process process, Path output) throws Exception {
        boolean isReady =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> Files.readString(output).contains(READY) || !process.isAlive());
        Matcher port = PORT.matcher(Files.readString(output));
        if (!isReady || !process.isAlive() || !port.find()) {
            return; // the exit code will tell
        }
        VirtualMachine vm = attach(port.group(1));
        try {
            debug(vm);
            vm.dispose();
        } catch (VMDisconnectedException e) {
            // the same
        }
    }

    private static VirtualMachine attach(String port) throws Exception {
        AttachingConnector connector =
                Bootstrap.virtualMachineManager().attachingConnectors().stream()
                        .filter(one -> one.name().equals("com.sun.jdi.SocketAttach"))
                        .findFirst()
                        .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(port);
        return connector.attach(arguments);
    }

    private static void debug(VirtualMachine vm) throws Exception {
        ClassType type = (ClassType) vm.classesByName(Debugged.class.getName()).get(0);
        Method step = type.methodsByName("step").get(0);
        for (int round = 0; round < ROUNDS; round++) {
            suspendAll(vm);
            suspendEach(vm);
            EventRequestManager requests = vm.eventRequestManager();
            ThreadReference thread = take(vm, requests.createBreakpointRequest(step.location()), 1);
            MethodEntryRequest entries = requests.createMethodEntryRequest();
            entries.addClassFilter("chaos.Junk");
            take(vm, entries, EVENTS);
            if (thread != null && isAlive(vm, thread)) {
                StepRequest steps =
                        requests.createStepRequest(
                                thread, StepRequest.STEP_LINE, StepRequest.STEP_INTO);
                take(vm, steps, EVENTS);
            }
        }
        type.setValue(type.fieldByName("isEnough"), vm.mirrorOf(true));
    }

    private static boolean isAlive(VirtualMachine vm, ThreadReference thread) {
        return vm.allThreads().contains(thread);
    }

    private static void suspendAll(VirtualMachine vm) throws Exception {
        vm.suspend();
        for (ThreadReference thread : vm.allThreads()) {
            look(thread);
        }
        vm.resume();
    }

    /** One thread stands still, perhaps in the middle of a sample, while the others go on. */
    private static void suspendEach(VirtualMachine vm) throws Exception {
        for (ThreadReference thread : vm.allThreads()) {
            if (!isWorker(thread)) {
                continue;
            }
            thread.suspend();
            look(thread);
            TimeUnit.MILLISECONDS.sleep(SUSPENDED_MILLIS); // what the others do in it is the test
            thread.resume();
        }
    }

    private static boolean isWorker(ThreadReference thread) {
        try {
            return thread.name().startsWith("stepper");
        } catch (ObjectCollectedException e) {
            return false;
        }
    }

    private static void look(ThreadReference thread) throws Exception {
        try {
            if (thread.isSuspended() && thread.status() != ThreadReference.THREAD_STATUS_ZOMBIE) {
                thread.frames();
            }
        } catch (ObjectCollectedException e) {
            // It has ended meanwhile.
        }
    }

    /** Waits for events of a request, looks at each, then withdraws it. */
    private static ThreadReference take(VirtualMachine vm, EventRequest request, int count)
            throws Exception {
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.enable();
        ThreadReference thread = null;
        int seen = 0;
        while (seen < count) {
            EventSet events = vm.eventQueue().remove(TimeUnit.SECONDS.toMillis(5));
            if (events == null) {
                break;
            }
            for (Event event : events) {
                if (event instanceof LocatableEvent at && event.request() == request) {
                    thread = at.thread();
                    ReferenceType where = at.location().declaringType();
                    if (!where.name().isEmpty()) {
                        look(thread);
                    }
                    seen++;
                }
            }
            if (seen >= count) {
                request.disable();
            }
            events.resume();
        }
        request.disable();
        drain(vm);
        vm.eventRequestManager().deleteEventRequest(request);
        return thread;
    }

    /** Other threads may have met the request before it was withdrawn. */
    private static void drain(VirtualMachine vm) throws Exception {
        for (EventSet events; (events = vm.eventQueue().remove(10)) != null; ) {
            events.resume();
        }
    }
}
