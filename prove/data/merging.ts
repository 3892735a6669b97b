import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { stringify } from "yaml";
import { type Dice, dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { openStaged, staged } from "../stage/functions.ts";
import { folder } from "../stage/ground.ts";
import { placePrograms } from "../stage/programs.ts";
import { newSeed } from "../stage/seed.ts";
import { sessionOf } from "./session-file.ts";
import { plain, poisonedObject, pollution } from "./values.ts";

/** Entry points for foreign objects: each accepts one, and returns what went wrong. */
const POINTS: Readonly<Record<string, (value: Record<string, unknown>, chance: Dice) => Promise<string | undefined>>> =
  {
    "a hook's answer in this process": async (value, chance) => {
      const lane = chance.pick(["pi", "omp", "omp-hooks"]);
      const decide = async (answer: unknown): Promise<string> => {
        await using stage = await openStaged(
          [omp, pi],
          [
            { lane, event: "tool_call", run: () => answer },
            { lane, event: "tool_result", run: () => answer },
          ],
        );
        return decision(await stage.session.wrap(CALL, () => "done"));
      };
      return differs(await decide(value), await decide(plain(value)));
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
      return differs(decision(await stage.session.wrap(CALL, () => "done")), "ran");
    },
    "what a program of j-cli prints": async (value) =>
      differs(await said("jcli", "pre_tool_execution", value), await said("jcli", "pre_tool_execution", plain(value))),
    "what a plugin of chibi prints": async (value) =>
      differs(await said("chibi", "pre_tool", value), await said("chibi", "pre_tool", plain(value))),
    "a model's arguments": async (value) => {
      let seen: unknown;
      await using stage = await openStaged(
        [omp, pi],
        [{ lane: "pi", event: "tool_call", run: ({ input }) => void (seen = input.block) }],
      );
      const result = await stage.session.wrap({ ...CALL, args: value }, () => "done");
      if (seen !== undefined && !Object.hasOwn(value, "block")) return "a handler saw an inherited argument";
      return differs(decision(result), "ran");
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
    "a session file": sessionOf,
  };

const CALL = { tool: "bash", toolCallId: "1", args: { command: "ls" } };

/** R17: no object, wherever it enters, changes a prototype or has an effect through what it inherits. */
export const merging: Experiment = {
  id: "R17",
  async run(tally, { full }) {
    const seed = newSeed();
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

interface Result {
  readonly blocked: boolean;
  readonly isError: boolean;
}

const decision = ({ blocked, isError }: Result): string =>
  `${blocked ? "refused" : "ran"}${isError ? ", an error" : ""}`;

const differs = (found: string, wanted: string): string | undefined =>
  found === wanted ? undefined : `${found}, and without the odd keys it ${wanted}`;

/** Returns the outcome of a call if a program prints this. */
async function said(dialect: "jcli" | "chibi", event: string, value: unknown): Promise<string> {
  using programs = placePrograms([{ dialect, event, run: () => JSON.stringify(value) }]);
  const runtime = createHookRuntime({
    dialects: [jcli, chibi],
    home: programs.home,
    env: {},
    transports: { process: programs.transport },
  });
  const session = await runtime.open({ scene: SCENE });
  const result = await session.wrap(CALL, () => "done");
  await runtime.close();
  return decision(result);
}

function place(home: string, path: string, text: string): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text, { mode: 0o755 });
}

/** Checks that the contents of a home folder are read without harm, whether or not they are valid. */
async function loads(home: string): Promise<string | undefined> {
  const runtime = createHookRuntime({
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
