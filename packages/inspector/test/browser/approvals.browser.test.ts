import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Elsewhere } from "../../../fleet/src/approval/elsewhere.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { FileList } from "../../../hookline/src/inspect/file-list.ts";
import { readPage } from "../../../hookline/src/inspect/page.ts";
import { breathe } from "../../../hookline/src/inspect/run.ts";
import { type Inspector, serve } from "../../../hookline/src/inspect/server.ts";
import { FakeFleet } from "../../../hookline/test/inspect/desk.ts";
import { findingsIn } from "../support/axe.ts";
import { CHROMIUM, openPage, startBrowser, visit, type WatchedPage } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { HOSTILE } from "../support/lines.ts";
import { keepPicture } from "../support/picture.ts";

const HOOK = "pi:/home/ann/shop/.pi/extensions/releases.ts#tool_call[0]";

describe.skipIf(CHROMIUM === undefined)("approvals", () => {
  let browser: Browser;
  let fleet: FakeFleet;
  let inspector: Inspector | undefined;
  let open: WatchedPage | undefined;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    await open?.page.context().close();
    await inspector?.close();
    open = inspector = undefined;
  });
  afterAll(() => browser?.close());

  /** Opens the view on a fleet that a test holds in its hands, without any session. */
  const begin = async (
    approvals = (fleet = new FakeFleet()).approvals,
    options: Parameters<typeof openPage>[1] = {},
  ): Promise<Page> => {
    const list = new FileList({ find: () => [], breathe });
    inspector = await serve({ list, page: readPage(), hookline: "0", port: 0, breathe, approvals });
    open = await openPage(browser, options);
    await visit(open.page, `${inspector.url}&view=approvals`);
    return open.page;
  };
  const questions = (page: Page) => page.locator(".question");
  const states = (page: Page) =>
    questions(page).evaluateAll((all) => all.map(({ className }) => className.replace("question ", "")));

  describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
    test.each([1200, 360])("are drawn at %i, axe finds nothing, and they are kept as a picture", async (width) => {
      const page = await begin(undefined, { colorScheme, viewport: { width, height: 760 } });
      const expires = Date.now() + 600_000;
      fleet.ask({
        ...{ machine: "laptop-7", tool: "bash", args: { command: "npm publish --access public" }, expires },
        call: "3f9a61c07be2d845".repeat(4),
        ...{ hooks: [HOOK], reason: "a release is decided by a person" },
      });
      fleet.ask({
        ...{ machine: "ci-runner-2", tool: "edit", expires: expires + 1 },
        call: "c41d0e8877a2b936".repeat(4),
        args: { path: "deploy/prices.json", edits: [{ oldText: '"price": 12', newText: '"price": 0' }] },
        ...{
          hooks: ["claude:/home/ann/.claude/settings.json#PreToolUse[0]"],
          reason: "prices change only with a ticket",
        },
      });
      const denied = fleet.ask({
        ...{ machine: "laptop-3", args: { command: "git push --force" } },
        expires: expires + 2,
      });
      await questions(page).nth(2).waitFor();
      fleet.change(denied, { state: "settled" }, { settled: { by: "boss", answer: "deny" } });
      await page.getByText("Denied by boss.").waitFor();
      await keepPicture(page, `approvals-${colorScheme}-${width}`);
      expect(await findingsIn(page)).toEqual([]);
      fleet.away = "the connection was lost";
      await page.getByRole("alert").waitFor();
      await page.getByText("Put away what is over").click();
      await page.getByText("1 question that is over").click();
      expect(await findingsIn(page)).toEqual([]);
      // Nothing reaches beyond the right edge.
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(open?.faults).toEqual([]);
    });
  });

  test("come as machines ask, oldest first, with all that the approver has to know", async () => {
    const page = await begin();
    await page.getByRole("status").getByText("Nothing waits for an answer of boss in the fleet acme.").waitFor();
    expect(await page.title()).toBe("hookline inspector");
    const expires = Date.now() + 90_000;
    const younger = fleet.ask({ machine: "laptop-2", tool: "edit", args: { path: "a.txt" }, expires: expires + 5000 });
    await questions(page).first().waitFor();
    fleet.ask({ hooks: [HOOK], reason: "sure?", expires });
    await page.getByText("2 questions wait").waitFor();
    const first = questions(page).first();
    expect(await first.locator("h2").textContent()).toBe("bash on laptop-1");
    const told = first.locator("dl.asked > div > dd");
    expect(await told.allTextContents()).toEqual([HOOK, "sure?", "commandmake release", "ab".repeat(8)]);
    expect(await first.locator(".number").textContent()).toMatch(/^(1 min \d+|\d+) s left$/);
    expect(await questions(page).nth(1).locator("h2").textContent()).toBe("edit on laptop-2");
    await page.waitForFunction(() => document.title === "(2) hookline inspector");
    expect(await page.getByRole("navigation").locator("button").allTextContents()).toEqual([
      "Sessions",
      "Approvals (2)",
    ]);
    fleet.change(younger, { state: "settled" }, { settled: { by: "(here)" } });
    await page.getByText("Answered by whoever is at the machine.").waitFor();
    await page.waitForFunction(() => document.title === "(1) hookline inspector");
    expect(open?.faults).toEqual([]);
  });

  test("are answered with a reason, once however often one clicks, and never again", async () => {
    const page = await begin();
    let release = (): void => {};
    const id = fleet.ask();
    fleet.outcome = async () => {
      fleet.change(id, { state: "sent" });
      await new Promise<void>((resolve) => (release = resolve));
      const settled = { by: "boss", answer: "deny" } as const;
      fleet.change(id, { state: "settled" }, { settled });
      return { state: "taken", settled };
    };
    await page.getByLabel("Your reason, for bash on laptop-1").fill("not on a Friday");
    // Two clicks in one task, as no hand can, and both buttons.
    await page.evaluate(() => {
      const [approve, deny] = document.querySelectorAll<HTMLButtonElement>(".answering button");
      deny?.click();
      deny?.click();
      approve?.click();
    });
    await page.getByText("An answer is on its way").waitFor();
    expect(await page.locator(".answering button:enabled").count()).toBe(0);
    await expect.poll(() => fleet.sent).toEqual([{ id, answer: "deny", reason: "not on a Friday" }]);
    release();
    await page.getByText("Denied by boss.").waitFor();
    expect(await page.locator(".answering :is(button, input):visible").count()).toBe(0);
    expect(fleet.sent).toHaveLength(1);
    // It is shown as over to whoever comes later.
    await page.reload();
    await page.getByText("1 question that is over").click();
    await page.getByText("Denied by boss.").waitFor();
    expect(await page.locator(".answering :is(button, input):visible").count()).toBe(0);
    expect(open?.faults).toEqual([]);
  });

  test("are answered by the keyboard alone, and the focus stays where one was", async () => {
    const page = await begin();
    const ids = [fleet.ask(), fleet.ask({ machine: "laptop-2" })];
    await questions(page).nth(1).waitFor();
    const focused = (): Promise<string | null> =>
      page.evaluate(
        () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.className ?? null,
      );
    const tabTo = async (label: string): Promise<void> => {
      while ((await focused()) !== label) await page.keyboard.press("Tab");
    };
    await page.keyboard.press("1");
    await page.getByText("No session of this folder").waitFor();
    await page.keyboard.press("5");
    await tabTo("Your reason, for bash on laptop-1");
    // Digits are typed there, and Enter sends nothing that was not chosen.
    await page.keyboard.type("ticket 1234");
    await page.keyboard.press("Enter");
    expect(fleet.sent).toEqual([]);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Approve bash on laptop-1");
    await page.keyboard.press("Enter");
    await page.getByText("Approved by boss.").waitFor();
    await expect.poll(focused).toBe("question settled");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Your reason, for bash on laptop-2");
    await tabTo("Deny bash on laptop-2");
    await page.keyboard.press("Space");
    await page.getByText("Denied by boss.").waitFor();
    expect(fleet.sent).toEqual([
      { id: ids[0], answer: "allow", reason: "ticket 1234" },
      { id: ids[1], answer: "deny" },
    ]);
    expect(open?.faults).toEqual([]);
  });

  test.each([1200, 360])("do not move while one looks at them, whatever becomes of others, at %i", async (width) => {
    const page = await begin(undefined, { viewport: { width, height: 760 } });
    const first = fleet.ask();
    fleet.ask({ machine: "laptop-2" });
    await questions(page).nth(1).waitFor();
    const top = async () => (await page.getByRole("button", { name: "Approve bash on laptop-2" }).boundingBox())?.y;
    const before = await top();
    fleet.change(first, { state: "expired" });
    await page.getByText("Expired: nobody answered in time.").waitFor();
    expect(await states(page)).toEqual(["expired", "open"]);
    expect(await top()).toBe(before);
    await page.getByText("Put away what is over").click();
    await expect.poll(async () => (await top()) ?? 0).toBeLessThan(before ?? 0);
    await page.getByText("1 question that is over").waitFor();
  });

  test("say what became of an answer that was not taken, and may be given again where nothing is known", async () => {
    const page = await begin();
    const id = fleet.ask();
    fleet.outcome = () => ({ state: "unconfirmed" });
    const approve = page.getByRole("button", { name: "Approve bash on laptop-1" });
    await approve.click();
    await page.getByText("laptop-1 has not said that it has the answer").waitFor();
    fleet.outcome = () => ({ state: "expired" });
    await approve.click();
    await page.getByText("Its time is over; nothing was sent.").waitFor();
    // The desk sends it again when the machine asks again, and then there is nothing to warn of any more.
    const late = fleet.ask({ machine: "laptop-2" });
    fleet.outcome = () => ({ state: "unconfirmed" });
    await page.getByRole("button", { name: "Deny bash on laptop-2" }).click();
    const warning = page.getByText("It is sent again when laptop-2 asks again");
    await warning.waitFor();
    fleet.change(late, { state: "settled" }, { settled: { by: "boss", answer: "deny" } });
    await page.getByText("Denied by boss.").waitFor();
    expect(await warning.count()).toBe(0);
    fleet.outcome = () => {
      fleet.change(id, { state: "settled" }, { settled: { by: "(here)" } });
      return { state: "other", settled: { by: "(here)" } };
    };
    await approve.click();
    await page.getByText("another one came first").waitFor();
    await page.getByText("Answered by whoever is at the machine.").waitFor();
    // The browser notes an answer of 409 on its console.
    expect(open?.faults.filter((fault) => !fault.includes("409"))).toEqual([]);
  });

  test("say how many have approved where one is not enough, and stay open until all have", async () => {
    const page = await begin();
    const id = fleet.ask({ approvals: { wanted: 2, by: [] } });
    await page.getByText("0 of 2 approved").waitFor();
    fleet.outcome = () => {
      const approvals = { wanted: 2, by: ["boss"] };
      fleet.change(id, {}, { approvals });
      return { state: "counted", approvals };
    };
    const approve = page.getByRole("button", { name: "Approve bash on laptop-1" });
    await approve.click();
    await page.getByText("1 of 2 approved: boss").waitFor();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await findingsIn(page)).toEqual([]);
    const settled = { by: "anna", answer: "allow" } as const;
    fleet.change(id, { state: "settled" }, { approvals: { wanted: 2, by: ["boss", "anna"] }, settled });
    await page.getByText("2 of 2 approved: boss, anna").waitFor();
    await page.getByText("Approved by anna.").waitFor();
    expect(open?.faults).toEqual([]);
  });

  test("cannot be answered while the fleet is away, and can when it is back, without loading the page again", async () => {
    const page = await begin();
    fleet.ask();
    const reason = page.getByLabel("Your reason");
    await reason.fill("half a reas");
    fleet.away = "the connection was lost";
    await page.getByRole("alert").getByText("The fleet is away: the connection was lost.").waitFor();
    expect(await page.locator(".answering button:enabled").count()).toBe(0);
    fleet.away = undefined;
    await page.locator(".answering button:enabled").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await reason.inputValue()).toBe("half a reas");
    expect(open?.faults).toEqual([]);
  });

  test("show hostile texts as text", async () => {
    const page = await begin();
    for (const text of HOSTILE) fleet.ask({ tool: text, args: { [text]: text }, hooks: [text], reason: text });
    await questions(page)
      .nth(HOSTILE.length - 1)
      .waitFor();
    const shown = (await page.locator(".questions").textContent()) ?? "";
    for (const sign of ["<img src=x", "⟨ESC⟩[2J", "⟨U+202E⟩", "⟨U+E0068⟩"]) expect(shown).toContain(sign);
    const labels = await page
      .locator("[aria-label]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? "").join());
    for (const hidden of ["\u001b", "\u202e", "\u{e0068}"]) expect(`${shown}${labels}`).not.toContain(hidden);
    expect(await page.locator(".questions :is(img, script)").count()).toBe(0);
    expect(await findingsIn(page)).toEqual([]);
    expect(open?.faults).toEqual([]);
  });

  test("are only where a machine is of a fleet, and say why where it may not answer", async () => {
    const because = "laptop-1 is enrolled as agent; only an approver may answer for the fleet. Do this.";
    const page = await begin({ state: "elsewhere", because });
    await page.getByText(because).waitFor();
    expect(await page.locator(".question, .answering").count()).toBe(0);
    expect(open?.asked.filter((url) => url.includes("/api/approvals"))).toEqual([]);
    expect(await findingsIn(page)).toEqual([]);
    expect(open?.faults).toEqual([]);
  });

  describe.skipIf(!hasNats)("of a real fleet", () => {
    let real: TestFleet;
    let place: Recorded;
    let served: Served | undefined;

    beforeAll(async () => {
      real = await TestFleet.start();
      await real.creds("boss", "approver");
      place = new Recorded();
    });
    afterAll(async () => {
      await served?.close();
      place?.remove();
      await real?.stop();
    });

    test("are answered by the built program, away and back included, and the page never sees a key", async () => {
      await place.record();
      served = await place.inspect({
        HOOKLINE_FLEET_URL: real.url,
        HOOKLINE_FLEET_CREDS: real.text("boss"),
        HOOKLINE_FLEET_ROOT: real.pin,
      });
      open = await openPage(browser);
      const { page, faults } = open;
      const bodies: Promise<string>[] = [];
      page.on("response", (response) => {
        if (!response.url().includes("/live")) bodies.push(response.text().catch(() => ""));
      });
      await visit(page, served.url);
      await page.locator(".row").first().waitFor();
      await page.keyboard.press("5");
      await page.getByText("Nothing waits for an answer of boss").waitFor();
      const creds = await real.creds("laptop-1", "agent");
      const machine = new Elsewhere({
        membership: { creds, url: real.url },
        clock: systemClock,
        env: {},
        root: () => real.newestRoot,
      });
      const call = { tool: "bash", args: { command: "make release" }, reason: "sure?", hooks: [HOOK] };
      const { signal } = new AbortController();
      const first = machine.ask(call, signal);
      await page.getByLabel("Your reason").fill("go ahead");
      await page.getByRole("button", { name: "Approve bash on laptop-1" }).click();
      await page.getByText("Approved by boss.").waitFor();
      expect(await first).toEqual({ approved: true, reason: "go ahead", by: "boss" });

      const second = machine.ask(call, signal);
      const deny = page.getByRole("button", { name: "Deny bash on laptop-1" });
      await deny.waitFor();
      await real.killServer();
      await page.getByRole("alert").getByText("The fleet is away").waitFor();
      expect(await deny.isEnabled()).toBe(false);
      await real.startServer();
      // An answer that is sent before the machine is back too reaches nobody, and is sent again when it asks again.
      await deny.click();
      await page.getByText("Denied by boss.").waitFor();
      expect(await second).toEqual({ approved: false, by: "boss" });
      machine.close();
      expect((await Promise.all(bodies)).join("")).not.toMatch(/BEGIN USER|\bSU[A-Z0-9]{30}|eyJ0eXAi/);
      expect(faults).toEqual([]);
    });

    test("are not in the page of a machine without a fleet", async () => {
      const alone = await place.inspect();
      open = await openPage(browser);
      await visit(open.page, alone.url);
      await open.page.locator(".row").first().waitFor();
      expect(await open.page.getByRole("button", { name: "Approvals" }).count()).toBe(0);
      await open.page.keyboard.press("5");
      expect(await open.page.evaluate(() => location.hash)).not.toContain("approvals");
      await alone.close();
    });
  });
});
