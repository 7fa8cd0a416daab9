// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** Five hundred steps, of which the middle is left out. */
public final class LongChain extends Case {
    private static final class Target {}

    private static Odd first;

    private static final class Odd {
        private Even next;
    }

    private static final class Even {
        private Object next;
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        Object last = target;
        for (int i = 0; i < 250; i++) {
            Even even = new Even();
            even.next = last;
            Odd odd = new Odd();
            odd.next = even;
            last = odd;
        }
        first = (Odd) last;
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static LongChain.first: LongChain$Odd > ... > LongChain$Even.next:"
                        + " LongChain$Target");
    }
}
