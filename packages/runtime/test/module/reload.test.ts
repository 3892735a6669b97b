import { expect, test } from "vitest";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { keptByRound } from "../heap.ts";
import { exportsOf, Project } from "./project.ts";

const RELOADS = 125;
/** The guarantee is 20 KB for a whole reload; a module that stayed would keep the 200 KB of its state. */
const MAX_BYTES_PER_RELOAD = 20_000;

test.for([
  ["a module graph", ""],
  ["a module with a top-level await", "await null;"],
  [
    "a module with dynamic imports",
    'void import("./helper"); export const more = (name: string) => import(name); await more("./helper");',
  ],
] as const)("%s that is loaded again leaves nothing behind", async ([, extra]) => {
  using project = new Project({
    "a.ts": `import { helper } from "./helper"; import * as fs from "node:fs"; export const state = new Array(25_000).fill(helper()); export default () => fs; ${extra}`,
    "helper.ts": "let calls = 0; export const helper = () => ++calls;",
  });
  const transport = createModuleTransport({ cacheDir: project.path("cache") });
  const reload = async (times: number) => {
    for (let count = 0; count < times; count++) {
      expect(exportsOf(await transport.load(project.call("a.ts")))["state"][0]).toBe(1);
    }
  };
  await reload(50);
  expect((await keptByRound(() => reload(RELOADS))) / RELOADS).toBeLessThan(MAX_BYTES_PER_RELOAD);
});
