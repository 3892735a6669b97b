import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { openStaged } from "../stage/functions.ts";
import { folder } from "../stage/ground.ts";
import { placePrograms } from "../stage/programs.ts";

const DEPTHS = [100, 1000, 10_000, 100_000, 1_000_000, 5_000_000];
/** Data up to this depth is treated like any other data. */
const MAX_LEVELS = 256;
const ENOUGH_MS = 1000;
const CALL = { tool: "bash", toolCallId: "1", args: { command: "ls" } };

const list = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const object = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** R18: data of any depth and size causes at most a named failure, and quickly. */
export const depth: Experiment = {
  id: "R18",
  async run(tally, { full }) {
    const late: number[] = [];
    const timed = async (what: string, work: () => Promise<string | undefined>): Promise<void> => {
      const started = performance.now();
      const problem = await work().catch((thrown: unknown) => `broke off: ${String(thrown).slice(0, 100)}`);
      late.push(performance.now() - started);
      tally.trial(problem === undefined ? undefined : `${what}: ${problem}`);
    };
    for (const levels of full ? DEPTHS : DEPTHS.slice(0, 4)) {
      for (const [shape, text] of [
        ["lists", list(levels)],
        ["objects", object(levels)],
      ] as const) {
        const answers = [`{"tool_arguments":"{}","more":${text}}`, `{"arguments":${text}}`];
        await timed(`${levels} ${shape}, from j-cli`, () =>
          asked(levels, "jcli", "pre_tool_execution", answers[0] as string),
        );
        await timed(`${levels} ${shape}, from chibi`, () => asked(levels, "chibi", "pre_tool", answers[1] as string));
        await timed(`${levels} ${shape}, as a schema`, () =>
          loaded(".chibi/plugins/t", `#!/bin/sh\n# ${text.slice(0, 0)}\ncat "$0.json"\n`, text),
        );
        await timed(`${levels} ${shape}, as YAML`, () => loaded(".jdata/agent/hooks.yaml", `stop: ${text}\n`));
      }
      await timed(`${levels} levels, from a handler`, () => answered(levels));
    }
    await timed("nested aliases", () => loaded(".jdata/agent/hooks.yaml", bomb()));
    await timed("a file of 9 MiB", () =>
      loaded(".jdata/agent/hooks.yaml", `stop:\n  - command: ${"x".repeat(9 * 1024 * 1024)}\n`),
    );
    tally.times("each", late, ENOUGH_MS);
  },
};

function bomb(): string {
  const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i},*a${i},*a${i}]`);
  return `a0: &a0 [x,x]\n${lines.join("\n")}\nstop: *a30\n`;
}

/** Checks a guard whose answer cannot be read or is odd: the call is allowed or refused, and the session continues. */
async function asked(
  levels: number,
  dialect: "jcli" | "chibi",
  event: string,
  answer: string,
): Promise<string | undefined> {
  using programs = placePrograms([{ dialect, event, run: () => answer }]);
  const runtime = createHookRuntime({
    dialects: [jcli, chibi],
    home: programs.home,
    env: {},
    transports: { process: programs.transport },
  });
  const codes: string[] = [];
  const session = await runtime.open({ scene: SCENE, onDiagnostic: ({ code }) => codes.push(code) });
  const { args } = await session.wrap(CALL, () => "done");
  await runtime.close();
  if (levels <= MAX_LEVELS) return undefined;
  if (args["command"] !== "ls") return "a part of it was applied";
  return codes.length > 0 ? undefined : "nobody was told";
}

async function loaded(path: string, text: string, data?: string): Promise<string | undefined> {
  using home = folder();
  mkdirSync(join(home.path, path, ".."), { recursive: true });
  writeFileSync(join(home.path, path), text, { mode: 0o755 });
  if (data !== undefined) writeFileSync(join(home.path, `${path}.json`), data);
  const runtime = createHookRuntime({ dialects: [jcli, chibi], home: home.path, env: { PATH: process.env["PATH"] } });
  const session = await runtime.open({ scene: { ...SCENE, cwd: home.path } });
  const { diagnostics, sources } = session.report;
  await runtime.close();
  return diagnostics.length > 0 || sources.some(({ state }) => state !== "runs") ? undefined : "nobody was told";
}

/** Checks a handler in this process that edits its event to a depth of `levels`. */
async function answered(levels: number): Promise<string | undefined> {
  let value: Record<string, unknown> = {};
  for (let i = 0; i < Math.min(levels, 1_000_000); i++) value = { value };
  await using stage = await openStaged(
    [omp, pi],
    [{ lane: "pi", event: "tool_call", run: ({ input }) => void (input.deep = value) }],
  );
  const { blocked, args } = await stage.session.wrap(CALL, () => "done");
  return blocked || levels <= MAX_LEVELS || args["deep"] === undefined ? undefined : "it was let through";
}
