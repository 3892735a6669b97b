import type { Experiment } from "../processes/experiment.ts";
import { placeModules } from "../stage/modules.ts";
import { runTurns } from "./told.ts";

/** Code that a handler leaves behind and that fails later; `$` is a unique number. */
const WAYS: Readonly<Record<string, string>> = {
  timer: 'setTimeout(() => { throw new Error("late $"); }, 1);',
  immediate: 'setImmediate(() => { throw new Error("late $"); });',
  tick: 'process.nextTick(() => { throw new Error("late $"); });',
  rejection: 'void Promise.reject(new Error("late $"));',
  "async function": '(async () => { await null; throw new Error("late $"); })();',
  emitter: 'const e = new EventEmitter(); setTimeout(() => e.emit("error", new Error("late $")), 1);',
  listener:
    'const c = new AbortController(); c.signal.addEventListener("abort", () => { throw new Error("late $"); }); setTimeout(() => c.abort(), 1);',
  microtask: 'queueMicrotask(() => { throw new Error("late $"); });',
  "an error's heir": 'class Own extends TypeError {} setTimeout(() => { throw new Own("late $"); }, 1);',
  cause: 'Promise.reject(new Error("late $", { cause: new Error("inner") }));',
};

/** R27: late errors are reported with their module, and do not end the process. */
export const lateErrors: Experiment = {
  id: "R27",
  paths: [],
  async run(tally, { full }) {
    const turns = full ? 100 : 10;
    const texts = Object.entries(WAYS).map(([name, body]) => {
      const fails = body.replace('"late $"', '"late " + turn');
      const head = 'import { EventEmitter } from "node:events";\nexport default (pi: any) => {\n  let turn = 0;\n';
      const handler = `  pi.on("turn_start", () => {\n    turn += 1;\n    ${fails}\n  });\n`;
      return [name.replaceAll(/[^a-z]/g, "-"), `${head}${handler}  void EventEmitter;\n};\n`] as const;
    });
    using modules = placeModules(Object.fromEntries(texts));
    const { code, printed, stderr } = await runTurns(modules, turns);
    if (printed === undefined || code !== 0) {
      tally.trial(`the host ended with ${code}: ${stderr.split("\n").slice(0, 3).join(" ")}`);
      return;
    }
    const messages = new Set(printed.told.map(({ message }) => message));
    for (const [name] of texts) {
      for (let turn = 1; turn <= turns; turn++) {
        const wanted = `${modules.pathOf(name)} failed after its handler had returned: late ${turn}`;
        tally.trial(messages.has(wanted) ? undefined : `error ${turn} of ${name} was not told with its module`);
      }
    }
    tally.figure(`${texts.length * turns} late errors in ${turns} turns, 0 exits; ${printed.answered} turns answered`);
  },
};
