// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Exports an object through RMI, which then calls System.gc() at the interval of {@code
 * sun.rmi.dgc.server.gcInterval}. Arguments: seconds, MiB that live.
 */
final class RmiGc {

    private static final List<byte[]> KEPT = new ArrayList<>();

    private RmiGc() {}

    /** What is exported. */
    interface Clock extends Remote {
        long now() throws RemoteException;
    }

    /** A clock. */
    private static final class Exported implements Clock {
        @Override
        public long now() {
            return System.currentTimeMillis();
        }
    }

    public static void main(String... args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[1]) * 1_024; i++) {
            KEPT.add(new byte[1_008]);
        }
        Exported clock = new Exported();
        UnicastRemoteObject.exportObject(clock, 0);
        Pace.of(args).at(100, number -> Garbage.make(100));
        UnicastRemoteObject.unexportObject(clock, true);
    }
}
