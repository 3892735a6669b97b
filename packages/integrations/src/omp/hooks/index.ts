import type { Candidate, Dialect } from "@hookline/runtime/dialect";
import type { Owner } from "../../in-process/owner.ts";
import { about } from "../about.ts";
import { ompCalls } from "./calls.ts";
import { type Api, type Definition, discover } from "./config.ts";
import { extensionRows, hookRows } from "./events.ts";
import { approvedHooks, loadExtension, loadHookModule } from "./load.ts";

const loaders: Readonly<Record<Api, (candidate: Candidate, owner: Owner) => Promise<void>>> = {
  hook: loadHookModule,
  extension: loadExtension,
};

/** Runs hooks and extensions of oh-my-pi unmodified. Each of omp's two interfaces has its own lane. */
export const omp: Dialect = {
  id: "omp",
  about,
  lanes: [
    { id: "omp-hooks", rows: hookRows, isolate: true, live: true },
    { id: "omp", rows: extensionRows, isolate: true, live: true },
  ],
  discover,
  toolOf: ompCalls.tool,
  async load(candidate, instance, around) {
    approvedHooks(around.shared).add(candidate.source.path);
    const { api } = candidate.definition as Definition;
    await loaders[api](candidate, { around, instance, name: "pi", bound: false });
  },
};
