import {
  createRuntime,
  type Diagnostic,
  diagnose,
  messageOf,
  type ProcessTransport,
  systemFiles,
} from "@hookline/runtime";
import { packages } from "@hookline/runtime/dialects";
import { type FetchedPackage, fetchPackage } from "../package/fetch.ts";
import type { Arguments } from "./args.ts";
import { EXIT, type Io } from "./io.ts";
import { type Place, placeOf } from "./place.ts";
import { jsonText } from "./plain-json.ts";
import { plain } from "./table.ts";

/** `hookline packages fetch [SOURCE…]`: fetches these packages, or all that pi's settings name. */
export async function fetchPackages(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const { cwd, home, hooklineHome } = place;
  const named =
    args.words.length > 0 ? args.words : packages.namedPackages({ cwd, home, env: io.env, files: systemFiles });
  const runtime = createRuntime({ dialects: [], env: io.env, home, hooklineHome });
  const fetched: FetchedPackage[] = [];
  const failed: { readonly source: string; readonly problem: string }[] = [];
  const json = args.flags["json"] === true;
  for (const source of named) {
    try {
      const found = await fetchPackage(source, { hooklineHome, cwd, processes: runtime.processes });
      fetched.push(found);
      if (!json) io.out(`${plain(source)}  ${plain(found.version)}  ${plain(found.root)}\n`);
    } catch (thrown) {
      failed.push({ source, problem: messageOf(thrown) });
      if (!json) io.err(`${plain(source)} could not be fetched: ${plain(messageOf(thrown))}\n`);
    }
  }
  await runtime.close();
  if (json) io.out(jsonText({ fetched, failed }));
  else if (named.length === 0) io.out("No package is named, here or in pi's settings.\n");
  return failed.length > 0 ? EXIT.failed : EXIT.fine;
}

/**
 * Fetches the packages that the command line names by `-e` and that are not there yet: to name one is to want it. One
 * that has changed since it was fetched is left to the load report.
 */
export async function fetchNamed(
  extensions: readonly string[],
  place: Place,
  processes: ProcessTransport,
  tell: { note(text: string): void; report(diagnostic: Diagnostic): void },
): Promise<void> {
  const { cwd, hooklineHome } = place;
  for (const given of extensions) {
    const source = given.replace(/^(?:pi|omp|hook):/, "");
    const read = packages.readPackageSource(source);
    if (read === undefined) continue;
    if (systemFiles.stat(packages.packageFolder(hooklineHome, read).root) !== undefined) continue;
    try {
      const { version } = await fetchPackage(source, { hooklineHome, cwd, processes });
      tell.note(`Fetched ${source} (${version}); none of its scripts was run.`);
    } catch (thrown) {
      const details = { path: source, problem: `it could not be fetched: ${messageOf(thrown)}` };
      tell.report(diagnose("UNSUPPORTED", { ...details, remedy: "Check its name and the network, or give a path." }));
    }
  }
}
