// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.shiro.mgt.DefaultSecurityManager;
import org.apache.shiro.mgt.DefaultSessionStorageEvaluator;
import org.apache.shiro.mgt.DefaultSubjectDAO;
import org.apache.shiro.realm.SimpleAccountRealm;
import org.apache.shiro.subject.SimplePrincipalCollection;
import org.apache.shiro.subject.Subject;
import org.apache.shiro.util.ThreadContext;
import programs.more.Load;

/**
 * Faulty: each request puts its audit trail into Shiro's thread context under a key of its own, and
 * the end of the request removes only the user from there. The threads belong to a pool.
 */
public final class ShiroContext {

    private static final int REQUESTS = 31_000;

    private static final AtomicLong ALLOWED = new AtomicLong();

    private static final ExecutorService POOL = Executors.newFixedThreadPool(4);

    private final SimpleAccountRealm realm = new SimpleAccountRealm("staff");

    private final DefaultSecurityManager manager = new DefaultSecurityManager(realm);

    private ShiroContext() {
        realm.addAccount("anna", "secret", "clerk");
        DefaultSessionStorageEvaluator sessions = new DefaultSessionStorageEvaluator();
        sessions.setSessionStorageEnabled(false);
        DefaultSubjectDAO subjects = new DefaultSubjectDAO();
        subjects.setSessionStorageEvaluator(sessions);
        manager.setSubjectDAO(subjects);
    }

    private void handle(int number) {
        Subject user =
                new Subject.Builder(manager)
                        .principals(new SimplePrincipalCollection("anna", realm.getName()))
                        .authenticated(true)
                        .buildSubject();
        ThreadContext.bind(user);
        try {
            StringBuilder trail = new StringBuilder();
            for (int i = 0; i < 80; i++) {
                boolean isAllowed = user.hasRole(i % 2 == 0 ? "clerk" : "manager");
                trail.append("order ").append(number).append(", line ").append(i);
                trail.append(isAllowed ? ": read by anna; " : ": refused to anna; ");
                ALLOWED.addAndGet(isAllowed ? 1 : 0);
            }
            ThreadContext.put("trail of request " + number, trail.toString());
        } finally {
            ThreadContext.unbindSubject();
        }
    }

    public static void main(String... args) throws InterruptedException {
        ShiroContext shop = new ShiroContext();
        Load.spread(REQUESTS, args, number -> POOL.execute(() -> shop.handle(number)));
        // The threads of a service do not end.
        POOL.awaitTermination(1, TimeUnit.SECONDS);
        System.out.println("allowed " + ALLOWED);
        System.exit(0);
    }
}
