// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.plugin;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/** A driver that registers itself, as drivers do. */
public final class PluginDriver implements Driver {

    private static final PluginDriver REGISTERED = new PluginDriver();

    static {
        try {
            DriverManager.registerDriver(REGISTERED);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Only a class of the same loader may do so. */
    public static void leave() throws SQLException {
        DriverManager.deregisterDriver(REGISTERED);
    }

    @Override
    public Connection connect(String url, Properties info) {
        return null;
    }

    @Override
    public boolean acceptsURL(String url) {
        return false;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
