// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** Four objects, each of which holds the next. */
public final class InstanceChain extends Case {
    private static final class Target {}

    private static First first;

    private record First(Second second) {}

    private record Second(Third third) {}

    private record Third(Target target) {}

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        first = new First(new Second(new Third(target)));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static InstanceChain.first: InstanceChain$First > InstanceChain$First.second:"
                    + " InstanceChain$Second > InstanceChain$Second.third: InstanceChain$Third >"
                    + " InstanceChain$Third.target: InstanceChain$Target");
    }
}
