import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findingsIn } from "../support/axe.ts";
import { CHROMIUM, openPage, startBrowser, type WatchedPage } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";

/** The built program, a recording of the demo, and a real browser. The long proofs: `npm run dev -- inspector-tests`. */
describe.skipIf(CHROMIUM === undefined)("the inspector in a browser", () => {
  let place: Recorded;
  let served: Served;
  let browser: Browser;
  let open: WatchedPage;

  beforeAll(async () => {
    place = new Recorded();
    await place.record();
    [served, browser] = await Promise.all([place.inspect(), startBrowser()]);
    open = await openPage(browser);
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
    place?.remove();
  });

  test("takes the token out of the address, and shows the run at once", async () => {
    const { page } = open;
    await page.goto(served.url);
    await page.locator(".step.prompt").waitFor();
    expect(page.url()).not.toContain(served.token);
    await expect.poll(() => page.locator(".count").textContent()).toMatch(/^\d+ steps$/);
    expect(await page.title()).toBe("hookline inspector");
    await page.reload();
    await page.locator(".step.prompt").waitFor();
    expect(open.asked.filter((url) => url.includes(served.token))).toEqual([]);
  });

  test("counts in the header what hooks did, and shows only that in one click", async () => {
    const { page } = open;
    await expect
      .poll(() => page.locator(".chips button").allTextContents())
      .toEqual(["7 hooks", "1 refused", "15 rewrote"]);
    const all = await page.locator(".step").count();
    await page.getByRole("button", { name: "7 hooks" }).click();
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".step.touched").length > 0 &&
        document.querySelectorAll(".step:not(.touched)").length === 0,
    );
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => page.locator(".step:not(.waiting)").count()).toBe(all);
  });

  test("shows who was asked at a moment, and what each said", async () => {
    const { page } = open;
    await page.getByRole("button", { name: "1 refused" }).click();
    await page.locator(".step.refused").getByRole("button", { name: "details" }).click();
    const pane = page.locator("#moment");
    await pane.locator("h2", { hasText: "tool.before" }).waitFor();
    const asked = pane.locator(".waterfall .hook", { hasText: "no-root-delete.ts" }).first();
    expect(await asked.locator(".where").textContent()).toMatch(/no-root-delete\.ts:\d+/);
    expect(await asked.locator(".status").textContent()).toBe("answered");
    expect(await asked.locator(".said").textContent()).toContain("block");
    expect(await page.evaluate(() => location.hash)).toMatch(/n=\d+/);
  });

  test("shows what the model was sent, with what hooks changed, in one click", async () => {
    const { page } = open;
    await page.getByRole("button", { name: "What the model saw" }).click();
    await page.locator(".parts .added", { hasText: "house-rules.ts" }).first().waitFor();
    const tools = page.locator(".parts > .role-tools details");
    expect(await tools.locator("summary").textContent()).toMatch(/^\d+ tools read, bash, /);
    expect(await tools.locator("li").first().isVisible()).toBe(false);
    await tools.locator("summary").click();
    await tools.locator("li", { hasText: "Run a shell command" }).waitFor();
    await page.getByRole("checkbox").check();
    expect(await page.locator(".parts > li:not(.added, .removed, .rewritten)").count()).toBe(0);
    await page.getByRole("button", { name: "where it happened" }).first().click();
    await page.locator("#moment h2").waitFor();
  });

  test("sorts hooks, and jumps to the moments of one", async () => {
    const { page } = open;
    await page.getByRole("button", { name: "Hooks", exact: true }).click();
    await page.locator("thead").getByRole("button", { name: "refused", exact: true }).click();
    expect(await page.locator("th[aria-sort=descending]").textContent()).toContain("refused");
    expect(await page.locator("tbody tr").first().textContent()).toContain("no-root-delete.ts");
    await page.locator("tbody tr").first().locator("button.name").click();
    await page.locator(".step.call").first().waitFor();
    expect(await page.evaluate(() => location.hash)).toContain("hook=");
    expect(await page.locator(".step:not(.call)").count()).toBe(0);
    await page.goBack();
    await page.locator("tbody tr").first().waitFor();
  });

  test("a search is in the address, and another tab shows the same", async () => {
    const { page } = open;
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Show all" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("rm -rf");
    // A pause between two keys puts what is typed so far into the address.
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("q") === "rm -rf");
    const isFew = () => Number(document.querySelector(".count")?.textContent?.match(/^\d+/)?.[0]) < 30;
    await page.waitForFunction(isFew);
    const other = await open.page.context().newPage();
    await other.goto(`${served.url}&${(await page.evaluate(() => location.hash)).slice(1)}`);
    await other.waitForFunction(isFew);
    const found = () => Promise.all([page, other].map((tab) => tab.locator(".count").textContent()));
    await expect.poll(async () => new Set(await found()).size).toBe(1);
    expect(await other.locator("#search").inputValue()).toBe("rm -rf");
    expect(other.url()).not.toContain(served.token);
    await other.close();
  });

  test("without the token it says what to do, and shows nothing", async () => {
    for (const address of [`http://127.0.0.1:${served.port}/`, served.url.replace(/.{4}$/, "0000")]) {
      const { page } = await openPage(browser);
      await page.goto(address);
      expect(await page.locator("[role=alert]").textContent()).toContain("hookline inspect");
      expect(await page.locator(".row, .step, .sources li").count()).toBe(0);
      await page.context().close();
    }
  });

  test("an export is the same page, opened from disk without a network", async () => {
    const file = join(place.project, "run.html");
    const { code, err } = await place.run(["inspect", place.recordings()[0] as string, "--export", file]);
    expect([code, err]).toEqual([0, ""]);
    const { page, faults, asked } = await openPage(browser, { offline: true });
    await page.goto(pathToFileURL(file).href);
    await page.getByRole("button", { name: "1 refused" }).click();
    await page.locator(".step.refused").getByRole("button", { name: "details" }).click();
    await page.locator("#moment .waterfall .hook", { hasText: "no-root-delete.ts" }).first().waitFor();
    await page.keyboard.press("3");
    await page.locator(".parts .added").first().waitFor();
    await page.keyboard.press("4");
    await page.locator("tbody tr").first().waitFor();
    expect(faults).toEqual([]);
    expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(file).href]);
    await page.context().close();
  });

  test("has nothing that axe would find, and nothing went wrong", async () => {
    expect(await findingsIn(open.page)).toEqual([]);
    expect(open.faults).toEqual([]);
    expect(
      open.asked.filter((url) => !url.startsWith(`http://127.0.0.1:${served.port}/`) && !url.startsWith("data:")),
    ).toEqual([]);
  });
});
