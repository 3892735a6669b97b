import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, openPage, startBrowser, visit } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { header, manyMoments } from "../support/lines.ts";

describe.skipIf(CHROMIUM === undefined)("the timeline", () => {
  let place: Recorded;
  let browser: Browser;
  let served: Served;

  beforeAll(async () => {
    place = new Recorded();
    browser = await startBrowser();
  });

  afterEach(() => served.close());

  afterAll(async () => {
    await browser?.close();
    place?.remove();
  });

  const partOf = async (page: Page, name: string): Promise<{ since: number; until: number } | undefined> => {
    const text = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)).get(name);
    const [since, until] = (text ?? "").split("-").map(Number);
    return text === null ? undefined : { since: since as number, until: until as number };
  };
  const lengthOf = (part: { since: number; until: number } | undefined): number =>
    (part?.until ?? 0) - (part?.since ?? 0);
  /** A place on the timeline, right of the lanes' names, as a share of its width. */
  const at = async (page: Page, share: number): Promise<{ x: number; y: number }> => {
    const box = (await page.locator(".lanes").boundingBox()) as { x: number; y: number; width: number; height: number };
    return { x: box.x + 76 + (box.width - 76) * share, y: box.y + 18 + 22 * 0.5 };
  };

  test("is marked, moved and zoomed by the mouse, and a click opens the moment under it", async () => {
    served = await place.inspect(place.file("mouse.jsonl", [...manyMoments(2000)]));
    const { page, faults } = await openPage(browser);
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().waitFor();
    const drag = async (from: number, to: number, button: "left" | "middle" = "left"): Promise<void> => {
      const [start, end] = [await at(page, from), await at(page, to)];
      await page.mouse.move(start.x, start.y);
      await page.mouse.down({ button });
      await page.mouse.move((start.x + end.x) / 2, end.y);
      await page.mouse.move(end.x, end.y);
      await page.mouse.up({ button });
    };
    const middle = await at(page, 0.5);
    await page.mouse.move(middle.x, middle.y);
    for (let step = 0; step < 6; step += 1) await page.mouse.wheel(0, -100);
    await expect.poll(async () => lengthOf(await partOf(page, "zoom"))).toBeGreaterThan(0);
    const zoomed = await partOf(page, "zoom");
    const whole = header.t + 2000 * 40 - header.t;
    expect(lengthOf(zoomed)).toBeLessThan(whole / 2);
    // Moved to the right, what was earlier comes into sight; the length stays.
    await page.keyboard.down("Shift");
    await drag(0.4, 0.7);
    await page.keyboard.up("Shift");
    const panned = await partOf(page, "zoom");
    expect(Math.abs(lengthOf(panned) - lengthOf(zoomed))).toBeLessThanOrEqual(2);
    expect((zoomed?.since ?? 0) - (panned?.since ?? 0)).toBeGreaterThan(0.28 * lengthOf(zoomed));
    expect((zoomed?.since ?? 0) - (panned?.since ?? 0)).toBeLessThan(0.32 * lengthOf(zoomed));
    await drag(0.7, 0.4, "middle");
    expect(Math.abs(((await partOf(page, "zoom"))?.since ?? 0) - (zoomed?.since ?? 0))).toBeLessThanOrEqual(2);
    expect(await partOf(page, "brush")).toBeUndefined();
    await page.mouse.wheel(300, 0);
    await expect.poll(async () => (await partOf(page, "zoom"))?.since).toBeGreaterThan(zoomed?.since ?? 0);
    await drag(0.2, 0.4);
    const brush = await partOf(page, "brush");
    expect(lengthOf(brush) / lengthOf(await partOf(page, "zoom"))).toBeCloseTo(0.2, 1);
    await page.waitForFunction(
      () => Number(document.querySelector(".moments .count")?.textContent?.match(/^\d+/)?.[0]) < 200,
    );
    const bar = await at(page, 0.3);
    await page.mouse.click(bar.x, bar.y);
    await page.locator("#moment h2").waitFor();
    const shown = Number((await page.locator(".row.open").getAttribute("data-n")) ?? 0);
    const t = header.t + shown * 40;
    expect([t >= (brush?.since ?? 0) - 100, t <= (brush?.until ?? 0) + 100]).toEqual([true, true]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("is marked by one finger, and moved and zoomed by two", async () => {
    served = await place.inspect(place.file("touch.jsonl", [...manyMoments(2000)]));
    const { page, faults } = await openPage(browser, { hasTouch: true, viewport: { width: 600, height: 900 } });
    await visit(page, `${served.url}&view=timeline`);
    await page.locator(".row").first().waitFor();
    const fingers = await page.context().newCDPSession(page);
    await gesture(fingers, await Promise.all([0.3, 0.4, 0.5].map(async (share) => [await at(page, share)])));
    await expect.poll(async () => lengthOf(await partOf(page, "brush"))).toBeGreaterThan(0);
    expect(await partOf(page, "zoom")).toBeUndefined();
    const brush = await partOf(page, "brush");

    const pairs = (...shares: readonly (readonly [number, number])[]) =>
      Promise.all(shares.map(([left, right]) => Promise.all([at(page, left), at(page, right)])));
    await gesture(fingers, await pairs([0.45, 0.55], [0.4, 0.6], [0.3, 0.7]));
    const zoomed = await partOf(page, "zoom");
    // The range between the two fingers is now four times as wide.
    expect(lengthOf(zoomed) / (2000 * 40)).toBeCloseTo(0.25, 1);
    await gesture(fingers, await pairs([0.3, 0.5], [0.4, 0.6], [0.5, 0.7]));
    const panned = await partOf(page, "zoom");
    expect(Math.abs(lengthOf(panned) - lengthOf(zoomed))).toBeLessThanOrEqual(lengthOf(zoomed) * 0.02);
    expect((zoomed?.since ?? 0) - (panned?.since ?? 0)).toBeGreaterThan(lengthOf(zoomed) * 0.15);
    // Neither has marked anything else, and a finger that is lifted last opens no moment.
    expect(await partOf(page, "brush")).toEqual(brush);
    expect(await page.locator("#moment").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("colours each moment by the gravest of what happened at it, in light and dark", async () => {
    const said: Readonly<Record<string, object>> = {
      answered: { status: "answered", answer: {} },
      refused: { status: "answered", answer: { block: true } },
      rewrote: { status: "answered", answer: {} },
      failed: { status: "failed", problem: "broken" },
      "timed-out": { status: "timed-out" },
      shadow: { status: "asked", shadow: true },
      none: { status: "no-answer" },
    };
    const hook = { id: "/g.ts#x", lane: "pi", source: "/g.ts:1", pass: 1 };
    const marks = Object.keys(said);
    const lines = marks.map((mark, n) => ({
      v: 2,
      n: n + 1,
      t: header.t + n * 1000 + 500,
      event: "tool.before",
      scene: { cwd: "/project" },
      payload: { tool: "bash", toolCallId: `c${n}`, args: {} },
      hooks: [{ ...hook, ...said[mark], ms: 400 }],
      edits: mark === "rewrote" ? [{ hook: hook.id, lane: "pi", field: "args", from: {}, to: { a: 1 }, pass: 1 }] : [],
      outcome: mark === "refused" ? { decision: "deny" } : {},
      ms: 400,
    }));
    served = await place.inspect(place.file("marks.jsonl", [header, ...lines]));
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, faults } = await openPage(browser, { colorScheme });
      await visit(page, `${served.url}&view=timeline`);
      await page.locator(".row").first().waitFor();
      // Each bar's middle, told from its time: the span goes from the first moment's beginning to the last one's end.
      const colours = () =>
        page.evaluate(
          ({ names, count }) => {
            const canvas = document.querySelector(".lanes canvas") as HTMLCanvasElement;
            const context = canvas.getContext("2d") as CanvasRenderingContext2D;
            const scale = canvas.width / canvas.clientWidth;
            const whole = (count - 1) * 1000 + 400;
            return names.map((name, n) => {
              const x = 76 + ((n * 1000 + 200) / whole) * (canvas.clientWidth - 76);
              const [r, g, b] = context.getImageData(x * scale, (18 + 11) * scale, 1, 1).data;
              const probe = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
              probe.fillStyle = getComputedStyle(canvas).getPropertyValue(`--mark-${name}`);
              probe.fillRect(0, 0, 1, 1);
              const [wr, wg, wb] = probe.getImageData(0, 0, 1, 1).data;
              return [name, `${r} ${g} ${b}` === `${wr} ${wg} ${wb}`];
            });
          },
          { names: marks, count: marks.length },
        );
      await expect.poll(colours).toEqual(marks.map((mark) => [mark, true]));
      // Every colour has its word beside it.
      expect(await page.locator(".legend li").allTextContents()).toEqual([
        ...["refused", "failed", "timed out", "rewrote", "answered", "shadow"],
      ]);
      expect(faults).toEqual([]);
      await page.context().close();
    }
  });
});

/** Puts fingers down, moves them from place to place, and lifts them one after the other. */
async function gesture(
  session: CDPSession,
  steps: readonly (readonly { readonly x: number; readonly y: number }[])[],
): Promise<void> {
  const send = (type: "touchStart" | "touchMove" | "touchEnd", points: readonly { x: number; y: number }[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map((point, id) => ({ ...point, id })) });
  const [first = [], ...others] = steps;
  for (let count = 1; count <= first.length; count += 1) await send("touchStart", first.slice(0, count));
  for (const points of others) await send("touchMove", points);
  const last = others.at(-1) ?? first;
  for (let count = last.length - 1; count >= 0; count -= 1) await send("touchEnd", last.slice(0, count));
}
