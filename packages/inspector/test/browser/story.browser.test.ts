import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Hooks } from "../../../hookline/src/inspect/api.ts";
import { findingsIn } from "../support/axe.ts";
import { CHROMIUM, openPage, startBrowser, visit } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { header } from "../support/lines.ts";

describe.skipIf(CHROMIUM === undefined)("the story", () => {
  let place: Recorded;
  let browser: Browser;
  let served: Served;
  let file: string;
  let page: Page;
  let clicks = 0;

  beforeAll(async () => {
    place = new Recorded();
    file = await place.record();
    [served, browser] = await Promise.all([place.inspect(file), startBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
    place?.remove();
  });

  beforeEach(async () => {
    ({ page } = await openPage(browser));
    clicks = 0;
    await visit(page, served.url);
    await page.locator(".step.prompt").waitFor();
    return () => page.context().close();
  });

  const click = async (name: string | RegExp, within = "main, header"): Promise<void> => {
    clicks += 1;
    await page.locator(within).getByRole("button", { name }).first().click();
  };

  test("says why a command was refused without a click, and with one where, in the hook's own words", async () => {
    const line = page.locator(".grave li");
    expect(await line.textContent()).toBe(
      "no-root-delete.ts:5 refused bash rm -rf /tmp/../var/cache: This project does not allow deleting from the root folder.",
    );
    await click(/no-root-delete/, ".grave");
    const step = page.locator(".step.refused");
    await step.waitFor();
    expect(await step.locator(".command").textContent()).toBe("rm -rf /tmp/../var/cache");
    expect(await step.locator(".told").textContent()).toContain("did not run");
    expect(await step.locator(".act .why").textContent()).toBe(
      "This project does not allow deleting from the root folder.",
    );
    expect(await step.locator(".act .where").textContent()).toBe(".omp/hooks/pre/no-root-delete.ts:5");
    // Beside the call, and not below it.
    const [told, act] = await Promise.all([".told", ".act"].map((part) => step.locator(part).boundingBox()));
    expect(act?.x).toBeGreaterThan((told?.x ?? 0) + (told?.width ?? 0));
    expect(Math.abs((act?.y ?? 0) - (told?.y ?? 0))).toBeLessThan(4);
    expect(clicks).toBeLessThanOrEqual(2);
  });

  test("shows a refusal again by a second click, and a pressed count so that it can be read", async () => {
    for (const _ of [1, 2]) {
      await click(/no-root-delete/, ".grave");
      await page.waitForFunction(() => document.activeElement?.classList.contains("refused"));
      await page.locator(".feed").evaluate((feed) => feed.scrollTo(0, 0));
      await page.locator("#search").focus();
    }
    const chip = page.getByRole("button", { name: "1 refused" });
    await chip.click();
    const [ink, paper] = await chip.evaluate((one) => [
      getComputedStyle(one).color,
      getComputedStyle(one).backgroundColor,
    ]);
    expect([await chip.evaluate((one) => one.matches(":hover")), ink]).toEqual([true, "rgb(255, 255, 255)"]);
    expect(paper).toBe("rgb(179, 38, 30)");
    expect(await page.locator(".grave").count()).toBe(0);
  });

  test("shows what the model really saw", async () => {
    await click("what the model saw");
    await page.locator(".parts .added", { hasText: "House rules: small changes" }).waitFor();
    expect(await page.locator(".parts .removed .tool").allTextContents()).toContain("find");
    expect(clicks).toBeLessThanOrEqual(2);
  });

  test("shows which hook is slow", async () => {
    await click("Hooks");
    await page.locator("tbody tr").first().waitFor();
    const totals = await page.locator("tbody td[data-name=total]").allTextContents();
    expect(await page.locator("th[aria-sort=descending]").textContent()).toContain("total");
    const headers = { authorization: `Bearer ${served.token}` };
    const api = `http://127.0.0.1:${served.port}/api/sources`;
    const { open } = (await (await fetch(api, { headers })).json()) as { readonly open: string };
    const { hooks } = (await (await fetch(`${api}/${open}/hooks`, { headers })).json()) as Hooks;
    const slowest = hooks.toSorted((a, b) => b.totalMs - a.totalMs)[0];
    expect(slowest?.source).toContain((await page.locator("tbody .name").first().textContent()) ?? "no name");
    const widths = await page
      .locator("tbody .run")
      .evaluateAll((bars) => bars.map((bar) => (bar as HTMLElement).getBoundingClientRect().width));
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
    expect(totals.length).toBe(7);
    expect(clicks).toBeLessThanOrEqual(2);
  });

  test("has each step in order, the difference in place, and what no hook touched folded", async () => {
    const kinds = await page
      .locator(".step")
      .evaluateAll((steps) => steps.map((step) => step.className.split(" ").slice(1).join(" ")));
    expect(kinds).toEqual([
      ...["prompt touched", "moment touched", "reply touched", "call", "call touched", "call", "reply touched"],
      ...["call touched refused", "reply touched", "call", "reply touched", "moment touched", "reply touched"],
      ...["call", "reply touched"],
    ]);
    await page.locator(".moment ins", { hasText: "House rules: small changes" }).waitFor();
    const folded = page.locator(".step.call:not(.touched)").first();
    expect(await folded.locator(".result").isVisible()).toBe(false);
    await folded.locator("summary").click();
    await folded.locator(".result", { hasText: "return a - b" }).waitFor();
    // A hook's change of the result is beside the result.
    expect(await page.locator(".step.touched .result").first().textContent()).toContain("[key removed]");
    // Earlier acts are summed up in a line.
    expect(await page.locator(".act.again").first().textContent()).toBe("no-find set the tools to leave out as before");
    await page.locator(".step .time").first().click();
    await page.locator("#moment h2").waitFor();
    expect(await findingsIn(page)).toEqual([]);
  });

  test("opening a page leaves everything as it was", async () => {
    const before = readFileSync(file);
    for (const key of ["1", "2", "3", "4"]) await page.keyboard.press(key);
    await page.locator("tbody tr").first().waitFor();
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(place.recordings()).toEqual([file]);
    const refused = await fetch(`http://127.0.0.1:${served.port}/api/sources`, {
      method: "POST",
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("speaks of events as Claude Code does to somebody with its hooks, with hookline's names beside", async () => {
    const hook = { id: "claude:/p/.claude/settings.json#PreToolUse[0]", lane: "claude", pass: 1 };
    const reason = "not to main";
    const refused = {
      ...{ v: 2, n: 1, t: header.t + 5, event: "tool.before", scene: { cwd: "/project" }, ms: 4 },
      payload: { tool: "bash", toolCallId: "c1", args: { command: "git push" } },
      hooks: [
        { ...hook, source: "/p/.claude/settings.json:8", status: "answered", answer: { decision: "deny", reason } },
      ],
      ...{ edits: [], outcome: { decision: "deny", reason } },
    };
    const other = await place.inspect(place.file("claude.jsonl", [header, refused]));
    await visit(page, other.url);
    await page.locator(".act").waitFor();
    expect(await page.locator(".act .event").textContent()).toBe("PreToolUse tool.before");
    await page.keyboard.press("2");
    await page.locator(".row").waitFor();
    expect(await page.locator(".row > span").allTextContents()).toEqual([
      ...[expect.any(String), "PreToolUse tool.before", "bash git push"],
      ...["refused settings.json:8 refused it: not to main", "4 ms"],
    ]);
    await other.close();
  });
});
