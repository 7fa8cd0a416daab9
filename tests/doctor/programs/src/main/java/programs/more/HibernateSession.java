// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.cfg.Configuration;

/** Sick: a worker reads the whole day in one Hibernate session and never clears it. */
public final class HibernateSession {

    private static final int READINGS = 30_000;

    /** A row of a meter; H2 makes it up. */
    @Entity(name = "Reading")
    @Immutable
    @Subselect("select x as id, 'meter ' || x as meter, repeat('watt ' || x || ';', 250) as curve"
            + " from system_range(1, 10000000)")
    public static class Reading {
        @Id private long id;

        @Column private String meter;

        @Column(length = 10_000)
        private String curve;
    }

    private static long read(Session session, long id) {
        Reading reading = session.find(Reading.class, id);
        return reading.curve.split(";").length + reading.meter.length();
    }

    public static void main(String[] args) {
        double seconds = Double.parseDouble(args[0]);
        Configuration configuration = new Configuration().addAnnotatedClass(Reading.class);
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:meters");
        long points = 0;
        try (SessionFactory factory = configuration.buildSessionFactory();
                Session session = factory.openSession()) {
            long start = System.nanoTime();
            long step = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / READINGS);
            for (int i = 0; i < READINGS; i++) {
                points += read(session, i + 1);
                LockSupport.parkNanos(start + i * step - System.nanoTime());
            }
        }
        System.out.println("points " + points);
    }
}
