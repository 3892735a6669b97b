import type { Experiment } from "../processes/experiment.ts";
import { placeModules } from "../stage/modules.ts";
import { runTurns } from "./told.ts";

/** Code that works without a pause, and takes the same time on any machine. */
const WAYS: Readonly<Record<string, string>> = {
  "a busy loop": "const end = Date.now() + MS; while (Date.now() < end) {}",
  "a runaway expression":
    'const end = Date.now() + MS; do { /(a+)+$/.test("a".repeat(24) + "!"); } while (Date.now() < end);',
  "large JSON":
    'const end = Date.now() + MS; do { JSON.parse("[" + "1,".repeat(4e6) + "1]"); } while (Date.now() < end);',
  "a wait for a lock": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MS);",
  "synchronous sleep": 'require("node:child_process").spawnSync("sleep", [String(MS / 1000)]);',
};
const MS = 3000;

/** R29: a handler that blocks the process is named in a report, with the duration. */
export const blocking: Experiment = {
  id: "R29",
  paths: [],
  async run(tally, { full }) {
    const head =
      'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\nvoid require;\n';
    for (const [way, body] of Object.entries(WAYS).slice(0, full ? undefined : 1)) {
      const events = full ? ["turn_start", "tool_call", "tool_result"] : ["turn_start"];
      for (const event of events) {
        const handler = `pi.on("${event}", () => { ${body.replaceAll("MS", `${MS}`)} });`;
        using modules = placeModules({ busy: `${head}export default (pi: any) => { ${handler} };\n` });
        const { printed, stderr } = await runTurns(modules, 2, 300);
        const named = printed?.told.filter(({ code }) => code === "HOOK_BLOCKED") ?? [];
        const what = `${way} in ${event}`;
        const [, ms] = /busy for (\d+) ms/.exec(named[0]?.message ?? "") ?? [];
        if (printed === undefined) tally.trial(`${what} ended the host: ${stderr.slice(0, 200)}`);
        else if (!named.some(({ message }) => message.includes(modules.pathOf("busy"))))
          tally.trial(`${what} was not named`);
        else tally.trial(Number(ms) >= 1000 ? undefined : `${what} was said to take ${ms} ms`);
      }
    }
    tally.figure(
      `${full ? Object.keys(WAYS).length : 1} tried; what a module registers with on is watched alike at every event`,
    );
    tally.skip("work behind an await, or in a timer or listener of a module: nobody can be named for it");
    tally.skip("an end of the work at its deadline: nothing can stop code of the main thread");
  },
};
