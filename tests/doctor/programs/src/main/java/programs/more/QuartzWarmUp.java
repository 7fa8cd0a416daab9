// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

import java.util.Date;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Healthy: a scheduler grows in the first third of the run, while the reminders of all customers
 * are loaded; from then on it only fires jobs.
 */
public final class QuartzWarmUp {

    private static final int CUSTOMERS = 12_000;

    private static final AtomicLong MAILED = new AtomicLong();

    /** Writes one mail. */
    public static final class Mail implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            StringBuilder mail = new StringBuilder();
            String customer = context.getMergedJobDataMap().getString("customer");
            for (int i = 0; i < 400; i++) {
                mail.append("Dear ").append(customer).append(", this is line ").append(i);
            }
            MAILED.addAndGet(mail.toString().length());
        }
    }

    private static void remind(Scheduler scheduler, int customer) throws SchedulerException {
        JobDetail job =
                JobBuilder.newJob(Mail.class)
                        .withIdentity("customer " + customer)
                        .usingJobData("customer", "name " + customer)
                        .usingJobData("address", "street ".repeat(100) + customer)
                        .build();
        scheduler.scheduleJob(
                job,
                TriggerBuilder.newTrigger()
                        .startAt(
                                new Date(
                                        System.currentTimeMillis()
                                                + 5_000
                                                + customer * 11L % 60_000))
                        .withSchedule(SimpleScheduleBuilder.repeatSecondlyForever(60))
                        .build());
    }

    public static void main(String... args) throws SchedulerException {
        Properties properties = new Properties();
        properties.setProperty("org.quartz.threadPool.threadCount", "3");
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.start();
        Load.spread(
                3 * CUSTOMERS,
                args,
                number -> {
                    if (number < CUSTOMERS) {
                        remind(scheduler, number);
                    }
                });
        scheduler.shutdown(true);
        System.out.println("mailed " + MAILED);
    }
}
