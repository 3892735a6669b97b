import { pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { Clock } from "../../packages/ground/src/time/clock.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import type { Experiment } from "../processes/experiment.ts";
import { type Dice, dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import { placeModules } from "../stage/modules.ts";
import { newSeed } from "../stage/seed.ts";
import { straysOf } from "./strays.ts";

/** Modules that cannot be loaded, each for a different reason. */
const BAD: Readonly<Record<string, string>> = {
  syntax: "export default (pi) => {",
  "no default": "export const extension = () => {};",
  class: "export default class Extension {}",
  throws: 'throw new Error("at the top level");',
  "factory throws": 'export default () => { throw new Error("in the factory"); };',
  "factory rejects": 'export default async () => { throw new Error("in the factory"); };',
  hangs: "await new Promise(() => {});\nexport default () => {};",
  "factory hangs": "export default () => new Promise(() => {});",
  exits: "process.exit(0);\nexport default () => {};",
  "missing import": 'import "./no-such-file.ts";\nexport default () => {};',
};
const GOOD = 'export default (pi) => pi.on("turn_start", () => {});\n';

/** A fast clock, so that the limit of 30 s for loading a module passes sooner. */
const hasty: Clock = { ...systemClock, timer: (ms, fire) => systemClock.timer(ms / 20, fire) };

/** R36: a module that cannot be loaded disables only itself and is reported; all others are active. */
export const loading: Experiment = {
  id: "R36",
  paths: [],
  async run(tally, { full }) {
    const seed = newSeed();
    const chance = dice(seed);
    const trials = full ? 200 : 15;
    const strays = await straysOf(async () => {
      for (let i = 0; i < trials; i++) tally.trial(await trial(chance));
    });
    for (const stray of strays) tally.trial(`an error escaped: ${String(stray)}`);
    tally.figure(`${trials} mixes of ${Object.keys(BAD).length} bad kinds; seed ${seed}`);
  },
};

async function trial(chance: Dice): Promise<string | undefined> {
  const kinds = Array.from({ length: 8 }, () => (chance.chance(0.5) ? "good" : chance.pick(Object.keys(BAD))));
  const texts = kinds.map((kind, i) => [`${i}-${kind.replaceAll(" ", "-")}`, BAD[kind] ?? GOOD] as const);
  using modules = placeModules(Object.fromEntries(texts));
  const runtime = createHookRuntime({ dialects: [pi], home: modules.home, env: {}, clock: hasty });
  const session = await runtime.open({ scene: SCENE });
  const states = new Map(session.report.sources.map(({ path, state, reason }) => [path, { state, reason }]));
  const active = new Set(session.hooks().map(({ hook }) => hook.path));
  await runtime.close();
  for (const [i, [name]] of texts.entries()) {
    const path = modules.pathOf(name);
    const { state, reason } = states.get(path) ?? {};
    if (kinds[i] === "good") {
      if (!active.has(path)) return `a good module among ${kinds.join(", ")} is ${state}: ${reason}`;
    } else if (state !== "broken" || reason === undefined || active.has(path)) return `${kinds[i]} is ${state}`;
  }
  return undefined;
}
