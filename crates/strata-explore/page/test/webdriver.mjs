// A browser, driven by chromedriver over its protocol: nothing but node, chromium and chromedriver is needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const KEYS = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", Up: "\uE013", Down: "\uE015", Left: "\uE012", Right: "\uE014", Backspace: "\uE003", Home: "\uE011" };

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "strata-explore-"));
    browser.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((resolve, reject) => {
      let told = "";
      browser.driver.stdout.on("data", (data) => {
        told += data;
        const found = /started successfully on port (\d+)/.exec(told);
        if (found) resolve(found[1]);
      });
      browser.driver.on("error", reject);
      browser.driver.on("exit", () => reject(new Error(`chromedriver ended: ${told}`)));
    });
    browser.url = `http://127.0.0.1:${port}/session`;
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", `--user-data-dir=${browser.profile}`];
    const capabilities = { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": { args }, "goog:loggingPrefs": { browser: "ALL" } } };
    const { sessionId } = await browser.call("POST", "", { capabilities });
    browser.url += `/${sessionId}`;
    return browser;
  }

  async call(method, path, body) {
    const answer = await fetch(this.url + path, { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body), signal: AbortSignal.timeout(60_000) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async end() {
    await this.call("DELETE", "").catch(() => {});
    this.driver.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  chrome(cmd, params) {
    return this.call("POST", "/goog/cdp/execute", { cmd, params });
  }

  size(width, height) {
    return this.chrome("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  }

  scheme(value) {
    return this.chrome("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async open(url) {
    // A change of the part after `#` alone would not load the page.
    await this.call("POST", "/url", { url: "about:blank" });
    const started = Date.now();
    await this.call("POST", "/url", { url });
    await this.until("the page is ready", "return document.documentElement.dataset.ready === 'true'");
    return Date.now() - started;
  }

  run(script, ...args) {
    return this.call("POST", "/execute/sync", { script, args });
  }

  async until(what, script, ...args) {
    const end = Date.now() + 15_000;
    for (;;) {
      const value = await this.run(script, ...args);
      if (value) return value;
      if (Date.now() > end) throw new Error(`never: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  async keys(...keys) {
    const actions = keys.flatMap((key) => [...key].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]));
    await this.call("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  async click(selector) {
    const element = await this.call("POST", "/element", { using: "css selector", value: selector });
    await this.call("POST", `/element/${element[ELEMENT]}/click`, {});
  }

  /** Presses the mouse at the middle of an element, moves it by so much and lets go. */
  async drag(selector, x, y) {
    const at = await this.run("const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); return [Math.round(left + width / 2), Math.round(top + height / 2)]", selector);
    const move = (by, duration) => ({ type: "pointerMove", x: at[0] + by[0], y: at[1] + by[1], duration, origin: "viewport" });
    const actions = [move([0, 0], 0), { type: "pointerDown", button: 0 }, ...(x || y ? [move([x, y], 50)] : []), { type: "pointerUp", button: 0 }];
    await this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  /** What the console said. */
  log() {
    return this.call("POST", "/se/log", { type: "browser" });
  }

  async screenshot(file) {
    const format = file.endsWith(".webp") ? { format: "webp", quality: 80 } : { format: "png" };
    const { data } = await this.chrome("Page.captureScreenshot", format);
    writeFileSync(file, Buffer.from(data, "base64"));
  }
}
