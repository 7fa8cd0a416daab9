// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Writes down what is asked of it. */
final class FakeEngine implements Engine {

    private final List<String> calls = new ArrayList<>();
    RuntimeException failure;

    /** How the calls begin that fail; all of them unless said otherwise. */
    String failing = "";

    private int handles;
    private int terms;

    /** What another does just before the next recording is opened. */
    Runnable overtaking;

    /** What another does just before a recording is closed. */
    Runnable closing;

    /** What others have done; null: nobody else is there. */
    InForce inForce;

    private void call(String call) {
        if (failure != null && call.startsWith(failing)) {
            throw failure;
        }
        calls.add(call);
    }

    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    @Override
    public void prepare() {}

    @Override
    public <T> T inside(Supplier<T> work) {
        return work.get();
    }

    @Override
    public int configure(Limits limits, Strategy strategy) {
        String chosen = strategy.kind() == Strategy.Kind.BYTES ? "" : ", " + strategy;
        call("configure " + limits.maxTracked() + chosen);
        return ++terms;
    }

    @Override
    public void reportOnOom(Path file) {
        call("report " + file);
    }

    @Override
    public int open(
            int agreed,
            int interval,
            long[] threads,
            String[] classes,
            String[] packages,
            long nanos) {
        return openOwn(agreed, interval);
    }

    @Override
    public int openOwn(int agreed, int interval) {
        Runnable first = overtaking;
        if (first != null) {
            overtaking = null;
            first.run();
            throw new OvertakenException("overtaken");
        }
        assertThat(agreed).isEqualTo(terms);
        call("open " + interval);
        return ++handles;
    }

    @Override
    public InForce inForce() {
        return inForce;
    }

    @Override
    public void pause(int handle) {
        call("pause " + handle);
    }

    @Override
    public void resume(int handle, int interval) {
        call("resume " + handle + " " + interval);
    }

    @Override
    public void setInterval(int handle, int interval) {
        call("interval " + handle + " " + interval);
    }

    @Override
    public void reset(int handle) {
        call("reset " + handle);
    }

    @Override
    public void close(int handle) {
        Runnable first = closing;
        if (first != null) {
            closing = null;
            first.run();
            throw new OvertakenException("closed");
        }
        call("close " + handle);
    }

    @Override
    public byte[] snapshot(int handle, boolean afterGc) {
        call("snapshot " + handle + (afterGc ? " gc" : ""));
        return new BlockWriter().write();
    }

    @Override
    public void prime() {
        calls.add("prime");
    }

    @Override
    public long[] status() {
        return new long[0];
    }
}
