import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { stringify } from "yaml";
import type { Experiment } from "../processes/experiment.ts";
import { folder } from "../processes/ground.ts";
import { type Dice, dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import { openStaged, staged } from "../stage/functions.ts";
import { placePrograms } from "../stage/programs.ts";
import { poisonedObject, pollution } from "./values.ts";

/** Places where foreign objects enter: each takes one, and says what went wrong. */
const POINTS: Readonly<Record<string, (value: Record<string, unknown>, chance: Dice) => Promise<string | undefined>>> =
  {
    "a hook's answer in this process": async (value, chance) => {
      const lane = chance.pick(["pi", "omp", "omp-hooks"]);
      await using stage = await openStaged(
        [omp, pi],
        [
          { lane, event: "tool_call", run: () => value },
          { lane, event: "tool_result", run: () => value },
        ],
      );
      return refusedByPrototype(await stage.session.wrap(CALL, () => "done"), value, "block");
    },
    "an edit in place": async (value) => {
      await using stage = await openStaged(
        [omp, pi],
        [
          {
            lane: "pi",
            event: "tool_call",
            run: (event) => void Object.assign(event.input, { command: "ls", more: value }),
          },
        ],
      );
      return refusedByPrototype(await stage.session.wrap(CALL, () => "done"), {}, "block");
    },
    "what a program of j-cli prints": async (value) => throughProgram("jcli", "pre_tool_execution", value, "action"),
    "what a plugin of chibi prints": async (value) => throughProgram("chibi", "pre_tool", value, "block"),
    "a model's arguments": async (value) => {
      let seen: unknown;
      await using stage = await openStaged(
        [omp, pi],
        [{ lane: "pi", event: "tool_call", run: ({ input }) => void (seen = input.block) }],
      );
      const result = await stage.session.wrap({ ...CALL, args: value }, () => "done");
      if (seen !== undefined && !Object.hasOwn(value, "block")) return "a handler saw an inherited argument";
      return refusedByPrototype(result, {}, "block");
    },
    "a plugin's schema": async (value) => {
      using home = folder();
      const schema = {
        ...JSON.parse(JSON.stringify(value)),
        name: "t",
        description: "d",
        hooks: ["pre_tool"],
        parameters: value,
      };
      place(home.path, ".chibi/plugins/t", `#!/bin/sh\ncat <<'EOF'\n${JSON.stringify(schema)}\nEOF\n`);
      return loads(home.path);
    },
    "a configuration file": async (value) => {
      using home = folder();
      const entry = { command: "true", ...JSON.parse(JSON.stringify(value)), filter: value };
      place(
        home.path,
        ".jdata/agent/hooks.yaml",
        stringify({ stop: [entry, { command: "true" }], __proto__: [entry] }),
      );
      return loads(home.path);
    },
  };

const CALL = { tool: "bash", toolCallId: "1", args: { command: "ls" } };

/** R17: no object, wherever it comes in, changes a prototype or decides by what it inherits. */
export const merging: Experiment = {
  id: "R17",
  paths: [],
  async run(tally, { full }) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const chance = dice(seed);
    const points = Object.entries(POINTS);
    const objects = full ? 5000 : 350;
    for (let i = 0; i < objects; i++) {
      const [name, enter] = points[i % points.length] as (typeof points)[number];
      const problem = (await enter(poisonedObject(chance), chance)) ?? pollution();
      tally.trial(problem === undefined ? undefined : `${name}: ${problem}`);
    }
    tally.figure(`${objects} objects at ${points.length} places; seed ${seed}`);
  },
};

function refusedByPrototype(
  { blocked, isError }: { readonly blocked: boolean; readonly isError: boolean },
  value: object,
  field: string,
): string | undefined {
  const own = Object.hasOwn(value, field) || Object.hasOwn(value, "isError");
  return (blocked || isError) && !own ? "it decided by what it inherits" : undefined;
}

async function throughProgram(
  dialect: "jcli" | "chibi",
  event: string,
  value: object,
  field: string,
): Promise<string | undefined> {
  using programs = placePrograms([{ dialect, event, run: () => JSON.stringify(value) }]);
  const runtime = createRuntime({
    dialects: [jcli, chibi],
    home: programs.home,
    env: {},
    transports: { process: programs.transport },
  });
  const session = await runtime.open({ scene: SCENE });
  const result = await session.wrap(CALL, () => "done");
  await runtime.close();
  // An answer of a wrong type is a failure of the hook, which refuses nothing here.
  return refusedByPrototype(result, value, field);
}

function place(home: string, path: string, text: string): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text, { mode: 0o755 });
}

/** Whether what lies there is read without harm; what of it is of use does not matter. */
async function loads(home: string): Promise<string | undefined> {
  const runtime = createRuntime({
    dialects: [jcli, chibi, staged(pi, () => [])],
    home,
    env: { PATH: process.env["PATH"] },
  });
  try {
    await runtime.open({ scene: { ...SCENE, cwd: home } });
    return undefined;
  } catch (thrown) {
    return `loading broke off: ${String(thrown)}`;
  } finally {
    await runtime.close();
  }
}
