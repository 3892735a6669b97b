import { isAbsolute, join, sep } from "node:path";
import type { DirEntry, Tier } from "@hookline/ground";
import type { Candidate, DialectSettings, Found, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose, ownSettings, type Source } from "@hookline/runtime/dialect";
import { type CandidateState, homeFolders, hooklineFolders } from "@hookline/runtime/engine";
import { noFolder } from "../../settings-hooks/definition-file.ts";
import { settings as rows } from "../about.ts";
import { TIMEOUT_MS } from "./point.ts";

/** A plugin's program, with all links resolved: chibi, too, resolves links before it checks the program. */
export interface Definition {
  readonly program: string;
}

/** Whether a candidate's definition names the program of a plugin. */
export function isDefinition(value: unknown): value is Definition {
  return typeof (value as Definition | null)?.program === "string";
}

interface Folder {
  readonly path: string;
  readonly tier: Tier;
}

/** The reason why a plugin in a plugins folder does not run, with a remedy. */
interface Fault {
  readonly state: CandidateState;
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Finds plugins without running any: in chibi's own folder, then hookline's, then the project's, each sorted bytewise.
 * A folder that is reached twice is read once, by its first name. Source: spec/chibi.md 2.1, rulings 3 and 51.
 */
export function discover(scan: Scan): Found {
  const searched: string[] = [];
  const candidates: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const folder of foldersOf(scan)) {
    searched.push(folder.path);
    const real = scan.files.real(folder.path);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    diagnostics.push(...noFolder(scan.files, folder.path));
    for (const entry of scan.files.list(folder.path) ?? []) {
      const found = inspect(scan, folder, real, entry);
      candidates.push(secondOf(found.candidate, candidates));
      if (found.diagnostic !== undefined) diagnostics.push(found.diagnostic);
    }
  }
  return { searched, candidates, diagnostics };
}

/**
 * Marks a project's plugin as shadowed if it is the same program as one of the user's: it runs once, as the user's
 * (ruling 56).
 */
function secondOf(candidate: Candidate, before: readonly Candidate[]): Candidate {
  if (candidate.source.tier !== "project" || candidate.state !== "runs") return candidate;
  const [program] = candidate.files;
  const first = before.find(
    ({ source, state, files }) => source.tier === "user" && state === "runs" && files[0] === program,
  );
  if (first === undefined) return candidate;
  const { path } = first.source;
  return { ...candidate, state: "shadowed", reason: `it is ${path} under another name`, twin: path };
}

function foldersOf(scan: Scan): Folder[] {
  const homes = [...homeFolders(scan, "CHIBI_HOME", join(scan.home, ".chibi")), ...hooklineFolders(scan)];
  // The user's folders come first. Otherwise a project could link to one and have it read as the project's.
  return [
    ...homes.filter(({ tier }) => tier === "user"),
    ...homes.filter(({ tier }) => tier === "project"),
    { path: join(scan.cwd, ".hookline"), tier: "project" as const },
  ].map(({ path, tier }) => ({ path: join(path, "plugins"), tier }));
}

function inspect(
  scan: Scan,
  folder: Folder,
  realFolder: string,
  { name, kind }: DirEntry,
): { readonly candidate: Candidate; readonly diagnostic?: Diagnostic } {
  const entry = join(folder.path, name);
  const isFolder = kind !== "file" && scan.files.stat(entry)?.kind === "directory";
  const path = isFolder ? join(entry, name) : entry;
  const source: Source = { path, tier: folder.tier, dialect: "chibi" };
  const program = scan.files.real(path);
  const fault = name.endsWith(".disabled") ? DISABLED : faultOf(scan, { path, program, isFolder, realFolder });
  const base = { lane: "chibi", source, files: [program ?? path], definition: { program: program ?? path } };
  if (fault === undefined)
    return {
      candidate: {
        ...base,
        state: "runs",
        timeoutMs: TIMEOUT_MS,
        onFailure: onFailure(guardFailureOf(scan.settings, folder.tier)),
      },
    };
  const candidate: Candidate = { ...base, state: fault.state, reason: fault.problem };
  if (fault.state === "disabled") return { candidate };
  const details = { path, problem: fault.problem, remedy: fault.remedy };
  return { candidate, diagnostic: diagnose("UNSUPPORTED", details, { source }) };
}

const DISABLED: Fault = {
  state: "disabled",
  problem: 'its name ends with ".disabled"',
  remedy: "Rename it to enable it.",
};

interface PluginLocation {
  readonly path: string;
  readonly program: string | undefined;
  readonly isFolder: boolean;
  readonly realFolder: string;
}

function faultOf(scan: Scan, { path, program, isFolder, realFolder }: PluginLocation): Fault | undefined {
  const stat = program === undefined ? undefined : scan.files.stat(program);
  if (program === undefined || stat === undefined) {
    return isFolder
      ? unsupported("the folder has no file with the folder's name", `Put the plugin's program at ${path}.`)
      : unsupported(
          scan.files.fault?.(path) ?? "it is a link that leads nowhere",
          "Correct the name or the link, or remove it.",
        );
  }
  if (stat.kind !== "file") return unsupported("it is not a file", `Put the plugin's program at ${path}.`);
  if (!isInside(program, realFolder) && !allowedFolders(scan).some((allowed) => isInside(program, allowed)))
    return unsupported(
      `it is a link that leaves the plugins folder, to ${program}`,
      "Copy the program there, or add the program's folder to chibi.linkDirectories in your settings.json.",
    );
  if ((stat.mode & 0o111) === 0) return unsupported("it is not executable", `Run: chmod +x ${path}`);
  return undefined;
}

function unsupported(problem: string, remedy: string): Fault {
  return { state: "unsupported", problem, remedy };
}

/**
 * Returns the folders to which a plugin's link may lead. Relative paths start at the home folder: in the working
 * folder, a project could create the folder that the path names.
 */
function allowedFolders({ settings, home, files }: Scan): string[] {
  return (ownSettings(settings, { id: "chibi", rows }).linkDirectories ?? []).flatMap((listed) => {
    const path = isAbsolute(listed) ? listed : join(home, listed.replace(/^~(?=[\\/]|$)/, ""));
    return files.real(path) ?? [];
  });
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Returns whether a guard's own failure refuses the call ("closed"). A project's setting applies to its own plugins
 * only (ruling 56).
 */
export function guardFailureOf(given: DialectSettings, tier: Tier): "open" | "closed" {
  return ownSettings(given, { id: "chibi", rows, tier }).guardFailure;
}

/** Describes the effect of a plugin's failure, for the load report (ruling 41). */
function onFailure(guardFailure: "open" | "closed"): string {
  const guard =
    guardFailure === "closed"
      ? "fails closed: any failure refuses the call"
      : 'fails open on a non-zero exit or invalid output ("chibi.guardFailure": "closed" refuses); a timeout or a failed start refuses the call';
  return `pre_tool: ${guard}; other points: no effect`;
}
