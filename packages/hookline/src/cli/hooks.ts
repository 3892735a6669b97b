import { diagnose } from "@hookline/ground";
import { EXIT, type Io, jsonText } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { Missing } from "@hookline/runtime/session";
import type { Arguments } from "../start/args.ts";
import { redacted } from "../start/redacted.ts";
import { reportText } from "../start/report-text.ts";
import { isForeign } from "./check-hooks.ts";
import { foreignNotes, IMPORT_SAYS } from "./import/notes.ts";
import { openHooks } from "./open-hooks.ts";

/** `hookline hooks [list]`: what was searched, found, loaded and skipped. Needs no model. */
export async function listHooks(args: Arguments, io: Io): Promise<number> {
  const { session, place: here, lock, close } = await openHooks(args, io);
  const { sources, searched, summary, diagnostics: found } = session.report;
  const diagnostics = [...here.settings.diagnostics, ...found, ...session.missing().map(missingHook), ...lock];
  const report = redacted({ sources, searched, summary, diagnostics }, io.env);
  const foreign = foreignNotes(here, io.env);
  if (args.flags["json"] === true) io.out(jsonText(report));
  else {
    const more = foreign.length > 0 ? [...foreign, IMPORT_SAYS] : [];
    io.out(reportText(report, here, { more, isVerbose: args.flags["verbose"] === true }));
  }
  await close();
  // `--strict` also fails on reported errors: a module counts as running although one of its hooks cannot run.
  const isWhole =
    sources.every((source) => source.state === "runs" || isForeign(source, here)) &&
    lock.length === 0 &&
    !diagnostics.some(({ severity }) => severity === "error");
  return args.flags["strict"] === true && !isWhole ? EXIT.failed : EXIT.fine;
}

/** Returns the problem for a required hook that does not run. */
export function missingHook({ expected, cause }: Missing): Diagnostic {
  return diagnose("REQUIRED_MISSING", { name: expected.name, problem: cause });
}
