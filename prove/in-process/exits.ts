import type { Experiment } from "../processes/experiment.ts";
import { placeModules } from "../stage/modules.ts";
import { runTurns } from "./told.ts";

const WAYS: Readonly<Record<string, string>> = {
  exit: "process.exit(0);",
  "exit, kept": "const { exit } = process; exit(0);",
  reallyExit: "(process as any).reallyExit(0);",
  "exit, later": "setTimeout(process.exit, 0, 0);",
  "exit, of an import": 'void import("node:process").then(({ exit }) => exit(0));',
  "exit, in a promise": "void Promise.resolve().then(() => process.exit(0));",
};
const PHASES: Readonly<Record<string, (way: string) => string>> = {
  import: (way) => `${way}\nexport default (pi: any) => void pi;\n`,
  factory: (way) => `export default (pi: any) => {\n  void pi;\n  ${way}\n};\n`,
  handler: (way) => `export default (pi: any) => pi.on("turn_start", () => {\n  ${way}\n});\n`,
};
const GOOD = 'export default (pi: any) => pi.on("tool_result", () => undefined);\n';

/** R30: attempts to end the process are errors in every phase, and are reported. */
export const exits: Experiment = {
  id: "R30",
  paths: [],
  async run(tally, { full }) {
    for (const [i, [way, text]] of Object.entries(WAYS).entries()) {
      for (const [j, [phase, module]] of Object.entries(PHASES).entries()) {
        if (!full && i % 3 !== j) continue;
        using modules = placeModules({ attempt: module(text), good: GOOD });
        const { code, printed, stderr } = await runTurns(modules, 3);
        const what = `${way} in the ${phase}`;
        if (code !== 0 || printed === undefined)
          tally.trial(`${what} ended the host with ${code}: ${stderr.slice(0, 200)}`);
        else if (printed.answered !== 3) tally.trial(`${what}: ${printed.answered} of 3 turns went on`);
        else tally.trial(printed.told.length > 0 ? undefined : `${what} was not told`);
      }
    }
    tally.skip("abort() and SIGKILL to itself: nothing in the process can stop them");
  },
};
