import { hash } from "node:crypto";
import { dirname, join } from "node:path";
import { decodeText, lenientText } from "@hookline/ground";
import type { Candidate, Files, Found, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose, type Source } from "@hookline/runtime/dialect";
import type { TextCache } from "@hookline/runtime/engine";
import { noFolder, readDefinitionFile } from "../../settings-hooks/definition-file.ts";
import { absentStart, scriptsOf } from "../../settings-hooks/scripts.ts";
import type { Definition } from "./definition.ts";
import type { EntryRules } from "./entry.ts";
import { EVENTS, isAnswered } from "./fields.ts";
import { describeFilter } from "./filter.ts";
import { isFatal, lint, located } from "./finding.ts";
import { type FileReading, type FoundHook, readHookFolder, readHooks } from "./hooks-file.ts";
import { type HookLocation, placesOf } from "./places.ts";

/** Finds all definitions without running anything. A mistake disables only the entry that contains it. */
export async function discover(given: Scan): Promise<Found> {
  const scan = { ...given, files: lookingOnce(given.files) };
  const places = placesOf(scan);
  const seen = new Set<string>();
  const files = places.flatMap((place) => filesOf(place, scan)).filter(({ path }) => isNew(scan, path, seen));
  const read = await Promise.all(files.map((file) => readFile(file, scan)));
  return {
    searched: places.map(({ path }) => path),
    candidates: read.flatMap(({ candidates }) => candidates),
    diagnostics: [
      ...places.flatMap((place) => misnamed(place, scan)),
      ...read.flatMap(({ diagnostics }) => diagnostics),
    ],
  };
}

/** Caches `stat`: many commands begin with the same word, and each word of a command may be a file. */
function lookingOnce(files: Files): Files {
  const seen = new Map<string, ReturnType<Files["stat"]>>();
  return {
    ...files,
    stat(path) {
      if (!seen.has(path)) seen.set(path, files.stat(path));
      return seen.get(path);
    },
  };
}

interface HooksFile {
  readonly path: string;
  readonly place: HookLocation;
  readonly read: (text: string, rules: EntryRules) => Promise<FileReading>;
  /** The folder that contains the `HOOK.yaml`; absent for a `hooks.yaml`. */
  readonly folder?: string;
}

function filesOf(place: HookLocation, { files }: Scan): HooksFile[] {
  if (place.kind === "file") return [{ path: place.path, place, read: readHooks }];
  return (files.list(place.path) ?? [])
    .filter(({ name }) => name !== "example")
    .map(({ name }) => join(place.path, name))
    .filter((folder) => files.stat(folder)?.kind === "directory")
    .map((folder) => ({ path: join(folder, "HOOK.yaml"), place, read: readHookFolder, folder }));
}

/** Whether a file has not been found before, by its real path. */
function isNew({ files }: Scan, path: string, seen: Set<string>): boolean {
  const real = files.real(path);
  if (real === undefined || seen.has(real)) return false;
  seen.add(real);
  return true;
}

type Read = Pick<Found, "candidates" | "diagnostics">;

async function readFile(file: HooksFile, scan: Scan): Promise<Read> {
  const { path, place } = file;
  const source: Source = { path, tier: place.tier, dialect: "jcli" };
  const found = readDefinitionFile(scan.files, path);
  if ("problem" in found) return broken(diagnose("UNREADABLE", { path, problem: found.problem }, { source }), source);
  const { text, lossy } = decode(found.bytes);
  const rules = { own: place.own, lossy };
  const kind = file.folder === undefined ? "list" : "folder";
  const reading = await remembered(scan.cache, { kind, text, rules }, () => file.read(text, rules));
  const absent = await Promise.all(reading.hooks.map(({ definition }) => absentOf(definition, file, scan)));
  const missing = reading.hooks.flatMap(({ line, pointer }, at) => {
    const found = absent[at];
    return found === undefined
      ? []
      : [{ ...lint(line, found.problem, found.remedy), ...(pointer !== undefined && { pointer }) }];
  });
  const diagnostics = [...reading.findings, ...reading.hooks.flatMap(({ findings }) => findings), ...missing].map(
    (finding) => located(finding, source),
  );
  const candidates = reading.hooks.map((hook, at) => candidateOf(hook, { file, scan, source, absent: absent[at] }));
  const lost = reading.findings.find(isFatal);
  if (candidates.length === 0 && lost !== undefined) return { ...broken(located(lost, source), source), diagnostics };
  return { candidates, diagnostics };
}

/** Puts the unusable part of a file into the load report. */
function broken(diagnostic: Diagnostic, source: Source): Read {
  const candidate: Candidate = {
    lane: "jcli",
    source: diagnostic.source ?? source,
    state: "broken",
    reason: diagnostic.message,
    files: [source.path],
    definition: undefined,
  };
  return { candidates: [candidate], diagnostics: [diagnostic] };
}

interface Around {
  readonly file: HooksFile;
  readonly scan: Scan;
  readonly source: Source;
  readonly absent: Candidate["absent"];
}

function candidateOf(hook: FoundHook, { file, scan, source, absent }: Around): Candidate {
  const { definition: read, unreachable, findings, events, line, pointer } = hook;
  const at = { ...source, line, ...(pointer !== undefined && { pointer }) };
  const base = { lane: "jcli", source: at, events };
  if (read === undefined) {
    const state = unreachable === undefined ? "broken" : "unreachable";
    const why = unreachable ?? findings.filter(isFatal).map((finding) => located(finding, source).message)[0];
    return { ...base, state, ...(why !== undefined && { reason: why }), files: [file.path], definition: undefined };
  }
  const definition: Definition = file.folder === undefined ? read : { ...read, folder: file.folder };
  const filter = describeFilter(definition.filter);
  return {
    ...base,
    ...(unreachable === undefined
      ? { state: "runs" as const }
      : { state: "unreachable" as const, reason: unreachable }),
    files: [file.path, ...ownScripts(definition, file, scan)],
    ...(definition.type === "bash" && { commands: [definition.text] }),
    ...(file.folder !== undefined && { folders: [file.folder] }),
    ...(filter !== undefined && { filter }),
    timeoutMs: definition.timeoutMs,
    onFailure: onFailure(definition),
    ...(absent !== undefined && { absent }),
    definition,
  };
}

/** Reports a command whose program is missing. It would fail at every call, and `on_error: skip` would hide that. */
async function absentOf(
  definition: Definition | undefined,
  { folder }: HooksFile,
  { cwd, home, env, files }: Scan,
): Promise<Candidate["absent"]> {
  if (definition === undefined || definition.type === "llm") return undefined;
  const variables = { HOME: home, JCLI_CWD: cwd, JCLI_HOOK_DIR: folder ?? "", PWD: cwd };
  const problem = await absentStart(definition.text, { cwd, variables, folder, roots: [], files, path: env["PATH"] });
  if (problem === undefined) return undefined;
  return { problem, remedy: "Correct it; a path is taken from the folder that the session runs in." };
}

function ownScripts({ type, text, folder }: Definition, { place }: HooksFile, { cwd, home, files }: Scan): string[] {
  if (type === "llm") return [];
  const roots = place.tier === "user" ? [home, cwd, dirname(place.path)] : [place.root, cwd];
  const variables = { HOME: home, JCLI_CWD: cwd, JCLI_HOOK_DIR: folder ?? "", PWD: cwd };
  return scriptsOf(text, { cwd, variables, folder, roots, files });
}

/** Describes what happens when a hook fails. */
export function onFailure({ onError, events }: Pick<Definition, "onError" | "events">): string {
  if (!events.some(isAnswered)) return "reported, no effect";
  if (onError === "skip") return "skip: fails open";
  return events.some((event) => EVENTS[event]?.writes.includes("action")) ? "abort: refuses" : "abort: ends the chain";
}

/** Reports files whose names are misspelled in a way that is easily overlooked. Such files are never read. */
function misnamed(place: HookLocation, { files }: Scan): Diagnostic[] {
  const folders =
    place.kind === "file"
      ? [dirname(place.path)]
      : (files.list(place.path) ?? []).map(({ name }) => join(place.path, name));
  const right = place.kind === "file" ? "hooks.yaml" : "HOOK.yaml";
  const lost = place.kind === "file" ? [] : noFolder(files, place.path);
  const wrong = folders.flatMap((folder) => {
    const names = (files.list(folder) ?? []).map(({ name }) => name);
    if (names.includes(right)) return [];
    const wrong = names.filter(
      (name) => name !== right && name.toLowerCase().replace(/\.yml$/, ".yaml") === right.toLowerCase(),
    );
    return wrong.map((name) => {
      const path = join(folder, name);
      const details = { path, problem: `hooks are read from ${right}`, remedy: `Rename it to ${right}.` };
      return diagnose("UNSUPPORTED", details, { source: { path, tier: place.tier, dialect: "jcli" } });
    });
  });
  return [...lost, ...wrong];
}

function decode(bytes: Uint8Array): { text: string; lossy: boolean } {
  const read = decodeText(bytes);
  return read.ok ? { text: read.text, lossy: false } : { text: lenientText(bytes), lossy: true };
}

/** Part of the cache key. Increase it whenever the reader parses a text differently; a test compares some results. */
export const READER_VERSION = 5;

/** Everything, besides the version of the reader, that decides how a configuration file is parsed. */
interface ReadingOf {
  readonly kind: "list" | "folder";
  readonly text: string;
  readonly rules: EntryRules;
}

/**
 * Returns a parsed configuration file, from the cache if the same text was parsed before. This saves loading the YAML
 * parser, which takes longer than everything else. An invalid cache entry is replaced.
 */
export async function remembered(
  cache: TextCache | undefined,
  of: ReadingOf,
  read: () => Promise<FileReading>,
): Promise<FileReading> {
  if (cache === undefined) return read();
  const { kind, rules, text } = of;
  const digest = hash("sha256", JSON.stringify([kind, rules.own, rules.lossy, text]));
  const key = `jcli-hooks-${READER_VERSION}-${digest}`;
  const known = asReading(cache.get(key));
  if (known !== undefined) return known;
  const reading = await read();
  cache.put(key, JSON.stringify(reading));
  return reading;
}

/** Parses a cache entry. Plain `JSON.parse` is enough, since hookline itself wrote it. */
function asReading(text: string | undefined): FileReading | undefined {
  if (text === undefined) return undefined;
  try {
    const { hooks, findings } = JSON.parse(text) as Partial<FileReading>;
    return Array.isArray(hooks) && Array.isArray(findings) ? { hooks, findings } : undefined;
  } catch {
    return undefined;
  }
}
