import { expect, test } from "vitest";
import { openFiles } from "./kit.ts";

/** Returns what a module of omp sees of packages while it loads, without using any of it. */
async function found(source: string): Promise<{ readonly seen: unknown; readonly lacks: readonly string[] }> {
  await using opened = await openFiles({ "project/.omp/extensions/own.ts": source });
  const seen = (globalThis as { ompSeen?: unknown }).ompSeen;
  return { seen, lacks: opened.session.report.sources.flatMap(({ lacks = [] }) => lacks) };
}

const TRIED = `const tried = (use) => { try { return use(); } catch (error) { return error.message; } };`;

test("what is omp's own can be imported and extended, and says what to do instead when it is used", async () => {
  const { seen, lacks } = await found(`import { AuthStorage, TailBuffer } from "@oh-my-pi/pi-coding-agent";
import { TabBar } from "@oh-my-pi/pi-tui";
import { grep } from "@oh-my-pi/pi-natives";
${TRIED}
class Mine extends TabBar {}
export default (pi) => {
  globalThis.ompSeen = [tried(() => new AuthStorage()), tried(() => grep("x")), tried(() => new Mine()), {} instanceof TailBuffer];
  pi.on("session_start", () => {});
};`);
  expect(seen).toEqual([
    expect.stringMatching(/^AuthStorage of @oh-my-pi\/pi-coding-agent exists only .*models\.json/),
    expect.stringMatching(/^grep of @oh-my-pi\/pi-natives exists only .*Node's own modules/),
    expect.stringMatching(/^TabBar of @oh-my-pi\/pi-tui exists only .*ctx\.ui\.custom/),
    false,
  ]);
  expect([...lacks].sort()).toEqual(["AuthStorage", "TabBar", "TailBuffer", "grep"]);
});

test("the package as an object has the same names", async () => {
  const { seen } = await found(`${TRIED}
export default (omp) => {
  globalThis.ompSeen = ["ModelBrowser" in omp.pi, tried(() => omp.pi.createTools()), typeof omp.pi.formatSize];
  omp.on("session_start", () => {});
};`);
  expect(seen).toEqual([true, expect.stringMatching(/^createTools of .*pi\.registerTool/), "function"]);
});
