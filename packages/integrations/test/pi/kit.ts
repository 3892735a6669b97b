import type { Dialect } from "../../../runtime/src/dialect/dialect.ts";
import { callFactory } from "../../src/in-process/load.ts";
import type { Owner } from "../../src/in-process/owner.ts";
import { createPiApi } from "../../src/pi/hooks/api.ts";
import { pi } from "../../src/pi/hooks/index.ts";
import { type Opened, openSession, type Setting } from "../opened.ts";

export { type Opened, type Setting, settle, TestClock, text, user, writeTree } from "../opened.ts";

export type TestFactory = (pi: any) => unknown;

/** A session whose extensions are the given functions, in load order; `Extension 1` is at `/extension/1.ts`. */
export function openWith(factories: readonly TestFactory[], setting: Setting = {}): Promise<Opened> {
  const inMemory: Dialect = {
    ...pi,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: factories.map((factory, i) => ({
        lane: "pi",
        source: { path: `/extension/${i + 1}.ts`, tier: "user", dialect: "pi", api: "extension" },
        state: "runs",
        files: [],
        definition: factory,
      })),
    }),
    async load(candidate, instance, around) {
      const owner: Owner = { around, instance, name: "pi", bound: false };
      const texts = { failed: (problem: string) => `Failed to load extension: ${problem}`, noFactory: String };
      await callFactory(candidate.definition as TestFactory, owner, texts, createPiApi(owner));
    },
  };
  return openSession(inMemory, {}, setting);
}

/** A session over real files, by their paths below a fresh folder with `project/` (the cwd) and `home/`. */
export function openFiles(files: Readonly<Record<string, string>>, setting: Setting = {}): Promise<Opened> {
  return openSession(pi, files, setting);
}
