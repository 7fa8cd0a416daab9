// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.SessionNotCreatedException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * Debian's Chromium without a window, and with no network but this machine. Selenium is for those
 * to add who use this. For one thread.
 */
public class Chromium implements AutoCloseable {

    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final Pattern URL = Pattern.compile("\"url\":\"([^\"]*)\"");

    private final ChromeDriver driver;

    /**
     * Starts a browser.
     *
     * @param folder where downloads go
     */
    public Chromium(Path folder) {
        if (!Files.isExecutable(BROWSER) || !Files.isExecutable(DRIVER)) {
            throw new IllegalStateException(
                    "Pages are tested in a browser, and "
                            + BROWSER
                            + " or "
                            + DRIVER
                            + " is missing. As root on Debian: apt-get install chromium"
                            + " chromium-driver");
        }
        this.driver = started(folder);
    }

    /** On a busy machine a browser may not come up in time; the third time it has to. */
    private static ChromeDriver started(Path folder) {
        for (int left = 2; ; left--) {
            ChromeDriverService service =
                    new ChromeDriverService.Builder()
                            .usingDriverExecutable(DRIVER.toFile())
                            .withTimeout(DEADLINE)
                            .build();
            try {
                return new ChromeDriver(service, options(folder));
            } catch (SessionNotCreatedException e) {
                service.stop();
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    private static ChromeOptions options(Path folder) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--window-size=1280,800",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost");
        options.setExperimentalOption(
                "prefs", Map.of("download.default_directory", folder.toString()));
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        logging.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logging);
        return options;
    }

    /** Opens a page and forgets the log of the last one. */
    public void open(String url) {
        driver.get("about:blank"); // so that the last one says no more
        complaints();
        requests();
        driver.get(url);
    }

    public void until(BooleanSupplier condition) {
        new WebDriverWait(driver, DEADLINE, Duration.ofMillis(20))
                .until(unused -> condition.getAsBoolean());
    }

    /** Returns what the browser has complained about since the page was opened. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Returns the addresses that were requested since the page was opened. */
    public List<String> requests() {
        return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> message.contains("Network.requestWillBeSent\""))
                .map(URL::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .toList();
    }

    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    public WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    public List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** Returns the texts that can be seen, from one look at the page. */
    @SuppressWarnings("unchecked")
    public List<String> texts(String selector) {
        Object texts =
                run(
                        "return [...document.querySelectorAll(arguments[0])]"
                                + ".filter(each => each.checkVisibility())"
                                + ".map(each => each.innerText.replace(/\\u00a0/g, ' ').trim())",
                        selector);
        return (List<String>) Objects.requireNonNull(texts);
    }

    public String text(String selector) {
        List<String> texts = texts(selector);
        return texts.isEmpty() ? "" : texts.get(0);
    }

    public void click(String selector) {
        until(() -> isClicked(selector));
    }

    /** A table may be drawn anew between the look and the click. */
    private boolean isClicked(String selector) {
        try {
            find(selector).click();
            return true;
        } catch (StaleElementReferenceException e) {
            return false;
        }
    }

    /** Types into whatever has the focus. */
    public void keys(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    public void hover(WebElement element) {
        new Actions(driver).moveToElement(element).perform();
    }

    public WebElement focused() {
        return driver.switchTo().activeElement();
    }

    public void resize(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    public void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
