import type { Dialect } from "@hookline/runtime/dialect";
import { type LoadTexts, loadFactory } from "../../in-process/load.ts";
import type { Owner } from "../../in-process/owner.ts";
import { about } from "../about.ts";
import { createPiApi } from "./api.ts";
import { discover } from "./config.ts";
import { piRows } from "./events.ts";
import { piModules } from "./modules.ts";

/** pi's error messages for extensions that could not be loaded. */
const texts: LoadTexts = {
  failed: (problem) => `Failed to load extension: ${problem}`,
  noFactory: (path) => `Extension does not export a valid factory function: ${path}`,
};

/** Runs pi's extensions unmodified. */
export const pi: Dialect = {
  id: "pi",
  about,
  lanes: [{ id: "pi", rows: piRows, isolate: true, live: false }],
  endsWhenBroken: true,
  discover,
  async load(candidate, instance, around) {
    const owner: Owner = { around, instance, name: "pi", bound: false };
    await loadFactory(candidate, owner, piModules, texts, createPiApi(owner));
  },
};
