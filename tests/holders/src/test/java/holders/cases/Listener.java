// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that was never removed. */
public final class Listener extends Case {
    private static final class Target {}

    private static final Source SOURCE = new Source();

    private static final class Source {
        final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    }

    private static final class View implements Runnable {
        final Target target = new Target();

        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        View view = new View();
        SOURCE.listeners.add(view);
        return view.target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static Listener.SOURCE: Listener$Source > Listener$Source.listeners:"
                        + " CopyOnWriteArrayList > CopyOnWriteArrayList.array: Object[] > []:"
                        + " Listener$View > Listener$View.target: Listener$Target");
    }
}
