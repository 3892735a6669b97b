import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../../../scripts/step.ts";
import { CHROMIUM, openPage, startBrowser, visit } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { HOSTILE, header, hostileMoment, manyMoments } from "../support/lines.ts";

const MANY = 100_000;

describe.skipIf(CHROMIUM === undefined)("the page and its server", () => {
  let place: Recorded;
  let browser: Browser;
  let served: Served | undefined;

  beforeAll(async () => {
    place = new Recorded();
    browser = await startBrowser();
  });

  afterEach(async () => {
    await served?.close();
    served = undefined;
  });

  afterAll(async () => {
    await browser?.close();
    place?.remove();
  });

  test("a session of 100,000 moments is shown window by window", async () => {
    served = await place.inspect(place.file("many.jsonl", [...manyMoments(MANY)]));
    const { page, asked, faults } = await openPage(browser);
    await visit(page, served.url);
    // The story first: half of the moments are calls, each a step of its own.
    await page.locator(".step.call").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "50,000 steps");
    await page.keyboard.press("l");
    await page.keyboard.press("End");
    await page.locator(".step[aria-posinset='50000']:focus").waitFor();
    expect(await page.locator(".step").count()).toBeLessThan(100);
    await page.keyboard.press("2");
    await page.locator(".row").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "100,000 moments");
    await page.keyboard.press("l");
    await page.keyboard.press("End");
    await page.locator(`[aria-posinset="${MANY}"][aria-selected=true]`).waitFor();
    await visit(page, `${served.url}&view=timeline&n=50000&source=${await sourceOf(served)}`);
    await page.locator("#moment-50000[aria-selected=true]").waitFor();
    expect(await page.locator(".row").count()).toBeLessThan(100);
    const windows = asked.filter((url) => /\/moments\?.*count=500/.test(url));
    expect(windows.length).toBeLessThan(60);
    await page.getByRole("button", { name: "1,000 refused" }).click();
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "1,000 moments");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("the demo ends with the command that opens exactly its run", async () => {
    const html = join(place.project, "demo.html");
    const demo = ["--conditions=hookline-source", "scripts/demo.ts", "--no-build", "--page", html];
    const said = execFileSync(process.execPath, demo, { cwd: root, encoding: "utf8" });
    const [, file = ""] = /^ {2}npx hookline inspect (\S+)$/m.exec(said) ?? [];
    served = await place.inspect(join(root, file));
    const { page, faults } = await openPage(browser);
    await visit(page, served.url);
    await page.locator(".step.prompt", { hasText: "Fix add() in src/sum.js" }).waitFor();
    // The page that the demo makes is one small file, and says the same without a server.
    expect(statSync(html).size).toBeLessThan(400_000);
    const { page: alone, asked, faults: other } = await openPage(browser, { offline: true });
    await alone.goto(pathToFileURL(html).href);
    await alone.locator(".grave", { hasText: "does not allow deleting" }).waitFor();
    const text = ".step:not(.waiting) .told";
    await expect.poll(() => alone.locator(text).count()).toBeGreaterThan(10);
    expect(await alone.locator(text).allTextContents()).toEqual(await page.locator(text).allTextContents());
    expect([other, asked.filter((url) => !url.startsWith("data:"))]).toEqual([[], [pathToFileURL(html).href]]);
    await alone.context().close();
    // A recording that is opened by its path is called by its name and its first prompt.
    expect(await page.locator("header.top .title").textContent()).toMatch(/^demo\.jsonl · .*Fix add\(\)/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a session that is running grows on the page", async () => {
    place.write(
      "slow.yaml",
      `replies:\n${'  - toolCalls: [{ name: bash, arguments: { command: "sleep 1; echo seen" } }]\n'.repeat(6)}  - text: done\n`,
    );
    const run = place.background(["--trust-project", "--record=all", "--script", "slow.yaml", "-p", "go"]);
    const ended = new Promise((resolve) => run.once("close", resolve));
    while (place.recordings().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    served = await place.inspect(place.recordings()[0] as string);
    const { page, faults } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    const count = async (): Promise<number> =>
      Number((await page.locator(".count").textContent())?.match(/\d+/)?.[0] ?? 0);
    await page.locator(".row").first().waitFor();
    const before = await count();
    const isAmid = run.exitCode === null;
    await page.waitForFunction(
      (from) => Number(document.querySelector(".count")?.textContent?.match(/\d+/)?.[0]) > from,
      before,
    );
    await ended;
    await page.getByLabel("Filter by event").selectOption("tool.after");
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "6 moments");
    expect([isAmid, faults]).toEqual([true, []]);
    await page.context().close();
  });

  test("a recording that is cut in the middle shows what it has, and says so", async () => {
    const file = place.file("cut.jsonl", [...manyMoments(50)]);
    truncateSync(file, readFileSync(file).length - 40);
    served = await place.inspect(file);
    const { page } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "49 moments");
    await page.getByText("cut in the middle").waitFor();
    // The writer continues after the torn line.
    appendFileSync(file, `\n${JSON.stringify([...manyMoments(51)].at(-1))}\n`);
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "50 moments");
    await page.getByText("1 line cannot be read").waitFor();
    await page.context().close();
  });

  test("hostile texts are shown as text in every view", async () => {
    served = await place.inspect(
      place.file("hostile.jsonl", [header, ...HOSTILE.map((text, at) => hostileMoment(at + 1, text))]),
    );
    const { page, faults, asked } = await openPage(browser);
    await visit(page, served.url);
    await page.locator(".step .act").first().waitFor();
    await page.locator(".step .difference .change").first().waitFor();
    const story = (await page.locator(".feed").textContent()) ?? "";
    for (const sign of ["<img src=x", "⟨ESC⟩[2J", "⟨U+202E⟩", "⟨U+E0068⟩"]) expect(story).toContain(sign);
    for (const [at] of HOSTILE.entries()) {
      await visit(page, `${served.url}&view=timeline&n=${at + 1}&source=${await sourceOf(served)}`);
      await page.locator("#moment .difference .change").first().waitFor();
    }
    for (const key of ["1", "3", "4"]) {
      await page.keyboard.press(key);
      await page.locator("#view").waitFor();
    }
    await visit(page, `${served.url}&n=3&source=${await sourceOf(served)}`);
    await page.locator("#moment h2").waitFor();
    const shown = (await page.locator("#moment").textContent()) ?? "";
    expect(shown).toContain("⟨ESC⟩[2J⟨ESC⟩]52;c;aGk=⟨BEL⟩");
    expect(await page.locator("img, iframe, object, embed, main script, main a").count()).toBe(0);
    expect(faults).toEqual([]);
    const own = `http://127.0.0.1:${served.port}/`;
    expect(asked.filter((url) => !url.startsWith(own) && !url.startsWith("data:") && url !== "about:blank")).toEqual(
      [],
    );
    await page.context().close();
  });

  test("a page of another origin gets nothing, even with the token", async () => {
    served = await place.inspect(place.file("own.jsonl", [...manyMoments(5)]));
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>other</p>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { page } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const got = await page.evaluate(
      async ({ port, token }) => {
        const attempt = (init: RequestInit): Promise<string> =>
          fetch(`http://127.0.0.1:${port}/api/sources`, init).then(
            (response) => response.text(),
            () => "refused",
          );
        const framed = document.createElement("iframe");
        framed.src = `http://127.0.0.1:${port}/#t=${token}`;
        document.body.append(framed);
        await new Promise((resolve) => framed.addEventListener("load", resolve));
        const headers = { authorization: `Bearer ${token}` };
        return [await attempt({ headers }), await attempt({}), await attempt({ mode: "no-cors" })];
      },
      { port: served.port, token: served.token },
    );
    expect(got).toEqual(["refused", "refused", "refused"]);
    expect(await page.frames()[1]?.locator(".row, .step, .top").count()).toBe(0);
    other.close();
    await page.context().close();
  });

  test("all is within reach of the keyboard", async () => {
    served = await place.inspect(place.file("keys.jsonl", [...manyMoments(2000)]));
    const { page, faults } = await openPage(browser);
    const hash = () => page.evaluate(() => location.hash);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().waitFor();
    await press("t", "+", "+", "ArrowRight");
    expect(await hash()).toContain("zoom=");
    await press("b", "Shift+ArrowRight", "Shift+ArrowRight");
    expect(await hash()).toContain("brush=");
    await page.waitForFunction(() => Number(document.querySelector(".count")?.textContent?.match(/^\d+/)?.[0]) < 2000);
    await press("Enter");
    const zoomed = new URLSearchParams((await hash()).slice(1));
    expect(zoomed.get("zoom")).toBe(zoomed.get("brush"));
    await press("Escape", "0");
    expect(await hash()).not.toMatch(/zoom|brush/);
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "2,000 moments");
    await press("l", "ArrowDown", "ArrowDown", "j", "k");
    await page.locator("#moment h2").waitFor();
    const first = await hash();
    await press("PageDown", "End");
    await page.locator("#moment", { hasText: "#2000" }).waitFor();
    expect(await hash()).not.toBe(first);
    await press("Enter", "Tab", "Enter");
    await page.locator(".conversation").waitFor();
    await press("1");
    await page.locator(".step").first().waitFor();
    await press("l", "j", "j", "k");
    await page.locator(".step[aria-posinset='1']:focus").waitFor();
    await press("4");
    await page.locator("tbody tr").first().waitFor();
    await press("2", "/");
    await page.keyboard.type("number 52 ");
    await page.waitForFunction(() => location.hash.includes("q="));
    await press("Escape", "?");
    await page.locator("dialog[open]").waitFor();
    await press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    // The element with the focus must show it.
    await press("Tab");
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).not.toBe(
      "none",
    );
    expect(faults).toEqual([]);
    await page.context().close();
  });

  async function sourceOf({ port, token }: Served): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${port}/api/sources`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return ((await response.json()) as { readonly open: string }).open;
  }
});
