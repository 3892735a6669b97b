import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FileList } from "../../../hookline/src/inspect/file-list.ts";
import { readPage } from "../../../hookline/src/inspect/page.ts";
import { breathe } from "../../../hookline/src/inspect/run.ts";
import { RunningList } from "../../../hookline/src/inspect/running.ts";
import { serve } from "../../../hookline/src/inspect/server.ts";
import { findingsIn } from "../support/axe.ts";
import { CHROMIUM, openPage, startBrowser, visit } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { header, manyMoments } from "../support/lines.ts";
import { keepBoth } from "../support/picture.ts";

const GUARD = `export default function (pi) {
  pi.on("tool_call", (event) => event.toolName === "bash" ? { block: true, reason: "no commands today" } : undefined);
}
`;

describe.skipIf(CHROMIUM === undefined)("what can be looked at", () => {
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

  const call = (n: number, more: object = {}): object => ({
    ...{ v: 2, n, t: header.t + n * 1000, event: "tool.before", scene: { cwd: "/project" } },
    ...{ payload: { tool: "bash", toolCallId: `c${n}`, args: { command: `rm -rf ${n}` } } },
    ...{ hooks: [], edits: [], outcome: {}, ms: 0 },
    ...more,
  });
  const hook = { id: "pi:/project/guard.ts#tool_call[0]", lane: "pi", source: "/project/guard.ts:3", pass: 1 };

  test("the sessions of this folder are a list, newest first, to go to and to come back from", async () => {
    await place.record("Fix the first");
    await place.record("Fix the second");
    served = await place.inspect();
    const { page, faults } = await openPage(browser);
    await visit(page, served.url);
    await expect
      .poll(() => page.locator(".sources strong").allTextContents())
      .toEqual([expect.stringContaining("Fix the second"), expect.stringContaining("Fix the first")]);
    // Each has the same counts as the page of its own, as soon as they are known.
    await expect
      .poll(() => page.locator(".sources .did").allTextContents())
      .toEqual([expect.stringMatching(/^7 hooks.*1 refused.*15 rewrote/), expect.stringMatching(/^7 hooks/)]);
    // The list is live.
    await place.record("Fix the third");
    await page.locator(".sources strong", { hasText: "Fix the third" }).waitFor();
    await expect.poll(() => page.locator(".sources .did").count()).toBe(3);
    await page.getByRole("button", { name: "Fix the first" }).click();
    await page.locator(".step.prompt").waitFor();
    await page.getByLabel("Session").selectOption({ label: "all sessions" });
    await page.locator(".sources li").first().waitFor();
    expect(await findingsIn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("an empty recording says so in each view, and damaged lines leave room for the rest", async () => {
    served = await place.inspect(place.file("empty.jsonl", [header]));
    const empty = await openPage(browser);
    await visit(empty.page, served.url);
    for (const [key, text] of [
      ["1", "Nothing was said"],
      ["2", "No moment fits"],
      ["3", "has no request to a model"],
      ["4", "No hook was asked"],
    ] as const) {
      await empty.page.keyboard.press(key);
      await empty.page.locator(".note", { hasText: text }).waitFor();
      expect(await findingsIn(empty.page)).toEqual([]);
    }
    expect(empty.faults).toEqual([]);
    await empty.page.context().close();
    await served.close();
    const file = place.file("damaged.jsonl", [...manyMoments(5)]);
    appendFileSync(file, "{broken\n".repeat(60));
    served = await place.inspect(file);
    const { page } = await openPage(browser, { viewport: { width: 400, height: 700 } });
    await visit(page, served.url);
    const note = page.locator(".note", { hasText: "60 lines cannot be read" });
    await note.waitFor();
    expect((await note.boundingBox())?.height).toBeLessThan(60);
    await note.locator("summary").click();
    await note.getByText("line 66: ").waitFor();
    await page.context().close();
  });

  test("on a narrow screen an open moment has the screen, and Esc shows the list again", async () => {
    served = await place.inspect(place.file("narrow.jsonl", [...manyMoments(60)]));
    const { page } = await openPage(browser, { viewport: { width: 320, height: 600 } });
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().click();
    const heading = page.locator("#moment h2");
    await heading.waitFor();
    expect((await heading.boundingBox())?.y).toBeLessThan(200);
    await page.locator("#moment").press("Escape");
    await page.locator(".row").first().waitFor();
    await page.context().close();
  });

  test("an address of an export leads to a moment that is read late, and from an older export to its session", async () => {
    const many = place.file("many.jsonl", [...manyMoments(20_000)]);
    const html = join(place.project, "many.html");
    expect((await place.run(["inspect", many, "--export", html])).code).toBe(0);
    const { page, faults } = await openPage(browser, { offline: true });
    await page.goto(`${pathToFileURL(html).href}#source=older&view=timeline&n=19998`);
    await page.locator("#moment h2", { hasText: "tool.before" }).waitFor();
    await page.locator(".row.open").waitFor();
    expect(await page.locator(".bad").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a replay's result shows what was recorded beside what the tried hooks say", async () => {
    const recording = await place.record("Fix it once more");
    place.write("no-commands.ts", GUARD);
    const { code, err } = await place.run([
      ...["--trust-project", "replay", recording, "--with", "no-commands.ts", "--out", "result.jsonl"],
    ]);
    expect([code, err]).toEqual([0, expect.any(String)]);
    served = await place.inspect("result.jsonl");
    const { page, faults } = await openPage(browser);
    await visit(page, served.url);
    const denied = page.locator(".differences li", { hasText: "newly denied" }).first();
    await denied.waitFor();
    // A moment that could not be judged is not a difference, and comes last.
    expect(await page.locator(".facts").first().textContent()).toContain("1 moment differs");
    expect(await page.locator(".differences li").first().textContent()).toContain("newly denied");
    expect(await denied.locator(".side .decision").allTextContents()).toEqual(["allow", "deny"]);
    expect(await denied.locator(".side").last().textContent()).toContain("no commands today");
    expect(await denied.locator(".side").last().textContent()).toContain("no-commands.ts");
    // Its arguments are the same, so that no difference of them is shown.
    expect(await denied.locator(".difference").count()).toBe(0);
    expect(await denied.locator(".mark").allTextContents()).toEqual(["newly denied", "no-commands.ts#tool_call[0]"]);
    const unjudged = page.locator(".differences li", { hasText: "not judged" }).first();
    expect(await unjudged.locator(".side").count()).toBe(0);
    expect(await page.locator("nav button").allTextContents()).toEqual(["Replay"]);
    await keepBoth(page, "replay");
    expect(await page.locator("[role=alert]").count()).toBe(0);
    expect(await findingsIn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("what a hook in shadow said is shown, when it says it, and counts for nothing", async () => {
    const shadow = { ...hook, status: "asked", shadow: true };
    const file = place.file("shadow.jsonl", [header, call(1, { hooks: [shadow] })]);
    served = await place.inspect(file);
    const { page, faults } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().click();
    await page.locator(".hook .status", { hasText: "in shadow, not answered" }).waitFor();
    const answer = {
      id: hook.id,
      status: "answered",
      ms: 7,
      answer: { block: true, reason: "not <b>here</b>" },
      would: "deny",
    };
    appendFileSync(file, `${JSON.stringify({ v: 2, n: 1, shadow: answer })}\n`);
    await page.locator(".hook .status", { hasText: "in shadow, answered" }).waitFor();
    const said = (await page.locator(".hook .said").textContent()) ?? "";
    for (const part of ["decides nothing", "would have refused", "not <b>here</b>"]) expect(said).toContain(part);
    expect(await page.locator("#moment .decision.deny, #moment .mark.refused").count()).toBe(0);
    await keepBoth(page, "shadow");
    await page.keyboard.press("1");
    await page.locator(".act.shadow", { hasText: "would have refused it" }).waitFor();
    await page.keyboard.press("4");
    await page.locator("tbody .would", { hasText: "would have refused 1" }).waitFor();
    expect(await findingsIn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a moment shows both passes, who waited how long, stderr, what came of it, and why others did not run", async () => {
    const slow = { ...hook, id: "jcli:/project/hooks.yaml#1", lane: "jcli", source: "/project/hooks.yaml:2" };
    const hooks = [
      { ...hook, status: "answered", ms: 5, answer: { input: { command: "ls" } } },
      { ...slow, status: "failed", ms: 20, problem: "ended with exit code 3", stderr: "cannot\u001b[31m connect" },
      { ...slow, id: "jcli:/project/hooks.yaml#2", status: "skipped", filter: "tool_name=Write" },
      { ...slow, id: "jcli:/project/hooks.yaml#3", status: "not-reached" },
      { ...hook, pass: 2, status: "answered", ms: 1, answer: { block: true, reason: "still no" } },
    ];
    const edits = [
      {
        hook: hook.id,
        lane: "pi",
        field: "args",
        pass: 1 as const,
        from: { command: "rm -rf 1" },
        to: { command: "rm -ri 1" },
      },
    ];
    const outcome = { decision: "deny", reason: "still no" };
    served = await place.inspect(place.file("passes.jsonl", [header, call(1, { hooks, edits, outcome, ms: 26 })]));
    const { page, faults } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().click();
    await page.locator(".edit .change").waitFor();
    expect(await page.locator(".pass h4").allTextContents()).toEqual([
      "First pass",
      "Second pass: again, about the changed value",
    ]);
    const rows = page.locator(".waterfall").first().locator(".hook");
    expect(await rows.locator(".status").allTextContents()).toEqual([
      "answered",
      "failed",
      "did not run",
      "not reached",
    ]);
    expect(await rows.nth(0).locator(".where").textContent()).toBe("pi guard.ts:3");
    expect(await rows.nth(1).locator(".ms").textContent()).toBe("20 ms");
    expect(await rows.nth(1).locator(".after").textContent()).toBe("began after 5 ms");
    expect(await rows.nth(1).locator(".said").textContent()).toContain("ended with exit code 3");
    expect(await rows.nth(1).locator(".stderr").textContent()).toContain("cannot⟨ESC⟩[31m connect");
    // In the words of `hookline hooks explain`.
    expect(await rows.nth(2).textContent()).toContain("its filter does not match: tool_name=Write");
    expect(await page.locator(".edit del").allTextContents()).toEqual(["rf"]);
    expect(await page.locator(".edit ins").allTextContents()).toEqual(["ri"]);
    expect(await page.locator(".edit .path").textContent()).toBe("command");
    expect(await page.locator(".part", { hasText: "Result" }).textContent()).toContain("still no");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("differences are made for what is on the screen, and of long values when they are asked for", async () => {
    const long = Array.from({ length: 4000 }, (_, line) => `line ${line} has some words in it`);
    const edits = Array.from({ length: 60 }, (_, at) => ({
      ...{ hook: hook.id, lane: "pi", field: `field-${at}`, pass: 1 },
      from: at === 59 ? long.join("\n") : `before ${at}`,
      to: at === 59 ? long.with(12, "twelfth").with(10, "tenth").join("\n") : `after ${at}`,
    }));
    served = await place.inspect(place.file("edits.jsonl", [header, call(1, { edits })]));
    const { page, faults } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().click();
    await page.locator(".edit .change").first().waitFor();
    expect(await page.locator(".edit .difference").count()).toBe(59);
    expect(await page.locator(".edit .change").count()).toBeLessThan(40);
    const last = page.locator(".edit").last();
    await last.scrollIntoViewIfNeeded();
    // Only the beginning of the values has come, which is no change to show.
    await last.getByRole("button", { name: "compare all of it" }).click();
    await last.locator(".change").waitFor();
    const added = (await last.locator("ins").allTextContents()).join("");
    for (const word of ["tenth", "twelfth"]) expect(added).toContain(word);
    expect(added).not.toContain("line 3999");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("an empty view says what to switch on", async () => {
    const line = {
      v: 1,
      t: header.t,
      session: "s",
      event: "tool.before",
      lane: ["pi"],
      pass: 1,
      edits: [],
      outcome: {},
      ms: 1,
    };
    served = await place.inspect(
      place.file("trace.jsonl", [{ ...line, hooks: [{ ...hook, status: "no-answer", ms: 1 }], diagnostics: [] }]),
    );
    const { page, faults } = await openPage(browser);
    await visit(page, served.url);
    await page.locator(".note", { hasText: "A trace has no prompts, commands and results." }).waitFor();
    await page.keyboard.press("3");
    await page.locator(".note", { hasText: "A trace has no messages. Record with `hookline --record`" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("sessions of a fleet name their machine", async () => {
    const file = (id: string, machine: string, changed: number) => {
      const path = place.file(`${id}.jsonl`, [...manyMoments(2)]);
      return { path, kind: "recording", level: "log", id, machine, changed } as const;
    };
    const list = new FileList({ find: () => [file("s1", "m1", 1), file("s2", "m2", 2)], fleet: "acme", breathe });
    const inspector = await serve({ list, page: readPage(), hookline: "0", port: 0, breathe });
    const { page, faults } = await openPage(browser);
    await visit(page, inspector.url);
    await page.getByRole("heading", { name: "Sessions of the fleet acme" }).waitFor();
    expect(await page.locator(".sources li").allTextContents()).toEqual([
      expect.stringContaining("recording, log, on m2"),
      expect.stringContaining("recording, log, on m1"),
    ]);
    await page.getByRole("button", { name: "on m2" }).click();
    await page.locator(".step").first().waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
    await inspector.close();
    await list.close();
  });

  test("a session that the terminal has left says so, and shows the one that it goes on with", async () => {
    const path = (name: string): string => join(place.project, `${name}.jsonl`);
    writeFileSync(path("one"), readFileSync(place.file("three.jsonl", [...manyMoments(3)])));
    const others = new FileList({ find: () => [], breathe });
    const list = new RunningList(
      { path: path("one"), before: [], session: "one", title: "the first" },
      { cwd: place.project, others, breathe },
    );
    const inspector = await serve({ list, page: readPage(), hookline: "0", port: 0, breathe });
    const { page, faults } = await openPage(browser);
    await visit(page, inspector.url);
    await page.locator(".step").first().waitFor();
    await page.locator(".live").waitFor();
    list.goOn({ path: path("two"), before: [], session: "two", title: "the second" });
    writeFileSync(path("two"), readFileSync(place.file("five.jsonl", [...manyMoments(5)])));
    await page.getByText("The terminal has left this session").waitFor();
    expect(await page.locator(".live").count()).toBe(0);
    await page.getByRole("button", { name: "Show that one" }).click();
    await page.waitForFunction(() => document.querySelector(".count")?.textContent === "2 steps");
    await page.locator(".live").waitFor();
    expect(await page.getByLabel("Session").locator("option").allTextContents()).toEqual([
      ...["all sessions", "the second (live)", "the first"],
    ]);
    expect(faults).toEqual([]);
    await page.context().close();
    await inspector.close();
    list.close();
  });

  test("the browser itself would refuse text as markup, keeps no cookie, and reads what grows by fetch", async () => {
    served = await place.inspect(place.file("held.jsonl", [...manyMoments(5)]));
    const { page, faults } = await openPage(browser);
    const kinds: string[] = [];
    page.on("request", (request) => request.url().includes("/live?") && kinds.push(request.resourceType()));
    await visit(page, served.url);
    await page.locator(".step").first().waitFor();
    await expect.poll(() => kinds).toEqual(["fetch"]);
    const tried = await page.evaluate(() => {
      const attempts = [
        () => (document.body.innerHTML = "<b>x</b>"),
        () => document.body.insertAdjacentHTML("beforeend", "<b>x</b>"),
        () => document.write("x"),
        () => (document.createElement("script").text = "globalThis.ran = true"),
      ];
      return attempts.map((attempt) => {
        try {
          attempt();
          return "done";
        } catch (thrown) {
          return (thrown as Error).name;
        }
      });
    });
    expect(tried.filter((one) => one === "done")).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => [location.hash, document.referrer].join())).not.toContain(served.token);
    // The console reports the attempts above, and nothing else.
    expect(faults.filter((fault) => !/TrustedHTML|TrustedScript|unsafe-eval|Trusted Type/.test(fault))).toEqual([]);
    await page.context().close();
  });
});
