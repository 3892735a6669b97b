import type { Experiment } from "../processes/experiment.ts";
import { placeModules } from "../stage/modules.ts";
import { runTurns } from "./told.ts";

/** Changes of the shared process that a module may make, with the report's word for each. */
const TAMPERING: Readonly<Record<string, readonly [body: string, called: string]>> = {
  "the working directory": ['process.chdir("/");', "the working directory"],
  umask: ["process.umask(0);", "the umask"],
  "a variable": ['process.env["PATH"] = "/nowhere";', "the variable PATH"],
  "a new variable": ['process.env["NODE_OPTIONS"] = "--no-warnings";', "the variable NODE_OPTIONS"],
  "uncaught errors": ['process.on("uncaughtException", () => {});', "uncaughtException"],
  "a signal": ['process.on("SIGINT", () => {});', "SIGINT"],
  "what others do at the end": ['process.removeAllListeners("exit");', "the listeners of exit"],
  "listeners removed": ['process.removeAllListeners("uncaughtException");', "uncaughtException"],
};

/** R31: if loading changes shared state of the process, that is reported with the module and the change. */
export const ambient: Experiment = {
  id: "R31",
  paths: [],
  async run(tally, { full }) {
    for (const [i, [name, [body, called]]] of Object.entries(TAMPERING).entries()) {
      for (const [j, place] of ["import", "factory"].entries()) {
        if (!full && i % 4 !== 2 * j) continue;
        const module =
          place === "import"
            ? `${body}\nexport default (pi: any) => { void pi; };\n`
            : `export default (pi: any) => { void pi; ${body} };\n`;
        using modules = placeModules({ tampers: module });
        const { printed, stderr } = await runTurns(modules, 1);
        const told = printed?.told.find(({ code }) => code === "AMBIENT_CHANGED")?.message ?? "";
        const what = `${name}, by the ${place}`;
        if (printed === undefined) tally.trial(`${what} ended the host: ${stderr.slice(0, 200)}`);
        else
          tally.trial(
            told.includes(called) && told.includes(modules.pathOf("tampers"))
              ? undefined
              : `${what} was not told: ${told}`,
          );
      }
    }
    const cleansUp = 'process.on("exit", () => {}); pi.on("turn_start", () => {});';
    using quiet = placeModules({ quiet: `export default (pi: any) => { ${cleansUp} };\n` });
    const { printed } = await runTurns(quiet, 1);
    tally.trial(
      printed?.told.length === 0
        ? undefined
        : `a module that only cleans up after itself is told of: ${JSON.stringify(printed?.told)}`,
    );
  },
};
