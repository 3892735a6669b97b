import { messageOf } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { plain } from "../io/table.ts";
import type { Arguments } from "../start/args.ts";
import { placeOf } from "../start/place.ts";
import { broken, type Check, fine, listed } from "./check.ts";
import { fileChecks } from "./check-files.ts";
import { hookChecks } from "./check-hooks.ts";
import { machineChecks } from "./check-machine.ts";
import { providerChecks } from "./check-providers.ts";
import { missingHook } from "./hooks.ts";
import { openHooks } from "./open-hooks.ts";
import { statsLines } from "./stats.ts";

/** `hookline doctor`: looks for what is broken; ends with 1 if anything is. Shows no key. */
export async function runDoctor(args: Arguments, io: Io): Promise<number> {
  const { hooklineHome } = await placeOf(args, io);
  // Before the hooks are loaded, since a start tidies up after dead runs.
  const files = fileChecks(hooklineHome);
  const checks = [
    ...machineChecks(io),
    ...files,
    ...(await providerChecks(args, io, hooklineHome)),
    ...(await loaded(args, io, hooklineHome)),
  ];
  if (args.flags["json"] === true) io.out(jsonText({ checks }));
  else for (const check of checks) io.out(lineOf(check));
  return checks.every(({ ok }) => ok) ? EXIT.fine : EXIT.failed;
}

async function loaded(args: Arguments, io: Io, hooklineHome: string): Promise<Check[]> {
  try {
    const { session, place, close } = await openHooks(args, io);
    const problems = place.settings.diagnostics.map(({ message }) => message);
    const checks = hookChecks(session.report, statsLines(hooklineHome));
    const missing = session.missing().map((one) => missingHook(one).message);
    await close();
    const settings =
      problems.length > 0
        ? broken("settings", listed(problems), "Correct settings.json.")
        : fine("settings", "nothing wrong");
    const required =
      missing.length > 0
        ? [broken("required hooks", listed(missing), "Until they run, no tool is run; `hookline hooks` says why.")]
        : [];
    return [settings, ...required, ...checks];
  } catch (thrown) {
    return [
      broken("hooks", `they could not be loaded: ${messageOf(thrown)}`, "Correct what is named, then try again."),
    ];
  }
}

function lineOf({ name, ok, message, remedy }: Check): string {
  const head = `${ok ? "ok    " : "BROKEN"}  ${name.padEnd(18)} ${plain(message)}\n`;
  return remedy === undefined ? head : `${head}${" ".repeat(27)}${plain(remedy)}\n`;
}
