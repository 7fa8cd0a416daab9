// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A stage that waits for a future that never completes. */
public final class FutureStage extends Case {
    private static final class Target {}

    private static final CompletableFuture<Object> FUTURE = new CompletableFuture<>();

    private record Stage(Target target) implements Consumer<Object> {
        @Override
        public void accept(Object value) {}
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        var unused = FUTURE.thenAccept(new Stage(target));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static FutureStage.FUTURE: CompletableFuture > CompletableFuture.stack:"
                        + " CompletableFuture$UniAccept > CompletableFuture$UniAccept.fn:"
                        + " FutureStage$Stage > FutureStage$Stage.target: FutureStage$Target");
    }
}
