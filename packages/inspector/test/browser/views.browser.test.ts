import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findingsIn } from "../support/axe.ts";
import { CHROMIUM, openPage, startBrowser, visit } from "../support/browser.ts";
import { Recorded, type Served } from "../support/inspector.ts";
import { keepPicture } from "../support/picture.ts";

/** Each view by its address, and what is on it when it is drawn. */
const VIEWS: readonly (readonly [name: string, address: string, drawn: string])[] = [
  ["sessions", "", ".sources .did"],
  ["story", "view=story", ".step.prompt"],
  ["refusal", "view=story&decision=refused", ".step.refused"],
  ["timeline", "view=timeline", ".row"],
  ["moment", "view=timeline&decision=refused&n={refused}", "#moment .waterfall"],
  ["changes", "view=story&at={rewrote}&n={rewrote}", "#moment .edit .difference"],
  ["input", "view=request&n={refused}", ".parts li"],
  ["hooks", "view=hooks", "tbody tr"],
  ["search", "view=timeline&q=sum.js", ".row"],
];

describe.skipIf(CHROMIUM === undefined)("each view", () => {
  let place: Recorded;
  let served: Served;
  let browser: Browser;
  const known = new Map<string, string>();

  beforeAll(async () => {
    place = new Recorded();
    await place.record();
    await place.record("Fix add() in src/sum.js, please");
    [served, browser] = await Promise.all([place.inspect(), startBrowser()]);
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${served.token}` };
      return (await fetch(`http://127.0.0.1:${served.port}/api/${path}`, { headers })).json() as Promise<any>;
    };
    const { sources } = await ask("sources");
    const [source] = sources;
    known.set("source", source.id);
    const momentsThat = async (decision: string) => {
      // A file that is still being read is answered in part.
      for (;;) {
        const { items, partial } = await ask(`sources/${source.id}/moments?decision=${decision}`);
        if (!partial) return items;
      }
    };
    const [refused] = await momentsThat("refused");
    known.set("refused", refused.n);
    for (const { n } of await momentsThat("rewrote")) {
      const { moment } = await ask(`sources/${source.id}/moments/${n}`);
      if (moment.edits.some((edit: object) => "from" in edit)) known.set("rewrote", n);
    }
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
    place?.remove();
  });

  const addressOf = (address: string): string => {
    const filled = address.replaceAll(/\{(\w+)\}/g, (_, name: string) => known.get(name) as string);
    return `${served.url}${filled === "" ? "" : `&source=${known.get("source")}&${filled}`}`;
  };

  describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
    test.each(VIEWS)("%s is drawn, axe finds nothing, and it is kept as a picture", async (name, address, drawn) => {
      for (const width of [1200, 400, 360]) {
        const { page, faults } = await openPage(browser, { colorScheme, viewport: { width, height: 760 } });
        await visit(page, addressOf(address));
        await page.locator(drawn).first().waitFor();
        await page.locator(drawn).first().scrollIntoViewIfNeeded();
        await page.waitForTimeout(300);
        if (width !== 360) await keepPicture(page, `${name}-${colorScheme}-${width}`);
        expect(await findingsIn(page)).toEqual([]);
        expect(await page.evaluate(() => getComputedStyle(document.body).fontSize)).toBe("14px");
        // Nothing reaches beyond the right edge.
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        expect(faults).toEqual([]);
        await page.context().close();
      }
    });
  });
});
