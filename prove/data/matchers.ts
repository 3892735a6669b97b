import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { fitsAny } from "../../packages/hookline/src/rule/watch.ts";
import { dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { folder } from "../stage/ground.ts";

/** Limit of processor time, which other programs on a busy machine do not lengthen. */
const ENOUGH_MS = 50;
/** Limit of processor time for stream rules and a piece of a reply. */
const RULE_MS = 500;
const ATOMS = [
  "(a+)+",
  "(a|aa)+",
  "(a|a?)+",
  "([a-z]+)*",
  "(.*)*",
  "(a*)*b",
  "(x+x+)+y",
  "(?:a{1,99}){1,99}",
  "\\1(a)",
  "[",
  "(",
  "*",
];

function compiled(pattern: string): readonly RegExp[] {
  try {
    return [new RegExp(`${pattern}$`)];
  } catch {
    return [];
  }
}

function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** R19: a filter is a list of names and never an expression, and the expressions of rules are ended in time. */
export const matchers: Experiment = {
  id: "R19",
  async run(tally, { full }) {
    const chance = dice(19);
    const patterns = Array.from({ length: full ? 200 : 60 }, () =>
      Array.from({ length: 1 + chance.below(3) }, () => chance.pick(ATOMS)).join(chance.pick(["", "|", "$", "^"])),
    );
    using home = folder();
    mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
    const keys = ["tool_name", "tool_matcher", "model_prefix"];
    const entries = patterns.map(
      (pattern, i) => `  - command: "true"\n    filter:\n      ${keys[i % 3]}: ${JSON.stringify(pattern)}\n`,
    );
    writeFileSync(join(home.path, ".jdata/agent/hooks.yaml"), `pre_tool_execution:\n${entries.join("")}`);
    let started = 0;
    const programs = {
      run: async () => {
        started += 1;
        throw new Error("no hook is for this tool");
      },
      open: () => Promise.reject(new Error("no process is kept here")),
      close: async () => {},
    };
    const runtime = createHookRuntime({
      dialects: [jcli],
      home: home.path,
      env: {},
      transports: { process: programs },
    });
    const session = await runtime.open({ scene: { ...SCENE, cwd: home.path, model: `${"a".repeat(5000)}!` } });
    const ms: number[] = [];
    for (let i = 0; i < patterns.length; i++) {
      const tool = `${chance.pick(["a", "x", "aa", "z"]).repeat(chance.pick([30, 256, 5000, 100_000]))}!`;
      const before = process.cpuUsage();
      const { answer } = await session.emit("tool.before", { tool, toolCallId: "1", args: {} });
      ms.push(processorMs(before));
      tally.trial(
        answer.decision === undefined && started === 0 ? undefined : `a hook ran for another tool than its own`,
      );
    }
    await runtime.close();
    tally.times(`dispatch past ${patterns.length} filters`, ms, ENOUGH_MS);
    tally.figure("no dialect has a filter that is an expression; stream rules are");
    const looked: number[] = [];
    for (const pattern of patterns.flatMap(compiled)) {
      const text = `${chance.pick(["a", "x", "aa", "z"]).repeat(4000)}!`;
      const before = process.cpuUsage();
      fitsAny([[pattern]], text);
      looked.push(processorMs(before));
      tally.trial(undefined);
    }
    tally.times(`a look of one of ${looked.length} stream rules`, looked, RULE_MS);
  },
};
