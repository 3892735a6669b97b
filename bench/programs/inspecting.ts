import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM, openPage, startBrowser } from "../../packages/inspector/test/support/browser.ts";
import { Recorded, type Served } from "../../packages/inspector/test/support/inspector.ts";
import { manyMoments } from "../../packages/inspector/test/support/lines.ts";

const MOMENTS = 100_000;
const STEPS = 150;

type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** A recording and a browser; each opening has a new server that has not read the recording yet. */
export class Inspecting {
  readonly #place = new Recorded();
  readonly #file = this.#place.file("many.jsonl", [...manyMoments(MOMENTS)]);
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<Inspecting> {
    if (CHROMIUM === undefined) throw new Error("There is no Chromium in /usr/bin: apt-get install chromium");
    return new Inspecting(await startBrowser());
  }

  /** Returns the time in ms from opening the address until the first steps are shown. */
  async firstView(): Promise<number> {
    return this.#inPage(async (ms) => ms);
  }

  /**
   * Returns the longest task while scrolling, in ms of processor time, so that other work on the machine does not
   * count.
   */
  async longestTask(): Promise<number> {
    return this.#inPage(async (_, page) => {
      await page.locator(".count", { hasText: "50,000 steps" }).waitFor();
      await sleep(1000);
      await this.#browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
      await page.mouse.move(300, 600);
      for (let step = 0; step < STEPS; step += 1) await page.mouse.wheel(0, step % 10 === 9 ? 120_000 : 400);
      await sleep(500);
      return longestIn((await this.#browser.stopTracing()).toString("utf8"));
    });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#place.remove();
  }

  async #inPage(
    use: (ms: number, page: Awaited<ReturnType<typeof openPage>>["page"]) => Promise<number>,
  ): Promise<number> {
    let served: Served | undefined;
    const { page } = await openPage(this.#browser);
    try {
      served = await this.#place.inspect(this.#file);
      const started = performance.now();
      await page.goto(served.url, { waitUntil: "commit" });
      await page.locator(".step:not(.waiting)").first().waitFor();
      return await use(performance.now() - started, page);
    } finally {
      await page.context().close();
      await served?.close();
    }
  }
}

/** A line of Chromium's trace; `tdur` is processor time in µs. */
interface Traced {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Returns the longest task of the page's main thread in a trace, in ms. */
function longestIn(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly Traced[] };
  const thread = ({ pid, tid }: Traced): string => `${pid}.${tid}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const own = new Set(named.map(thread));
  const tasks = traceEvents.filter((one) => one.ph === "X" && one.name.endsWith("RunTask") && own.has(thread(one)));
  if (tasks.length < STEPS) throw new Error("Chromium has traced no tasks of the page.");
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0);
}
