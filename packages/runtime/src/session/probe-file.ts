import { basename, dirname, extname, join } from "node:path";
import type { Files } from "@hookline/ground";
import { type Diagnostic, diagnose, isFields, lenientText, messageOf } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import { loadParser, theParser } from "../command/parser.ts";
import type { Loaded } from "../config/report.ts";
import { coverageOf } from "../consent/coverage.ts";
import type { Candidate, Scan } from "../dialect/dialect.ts";
import { type GuardCase, refusedCase } from "../hook/guard-case.ts";
import type { Lane } from "../hook/lane.ts";
import type { Probe } from "./proof.ts";

/** The size in bytes above which a file of test cases is not read at the start of a session. */
const MOST_BYTES = 1024 * 1024;
const EVENT = "tool.before";

/** Returns the path of the test cases beside a hook's file: `settings.hooks-test.yaml` for `settings.json`. */
function besideOf({ source: { path } }: Candidate): string {
  return join(dirname(path), `${basename(path, extname(path))}.hooks-test.yaml`);
}

/** Returns whether a definition is a program or a module: servers and models are not tested with cases. */
function isProbed({ kind, commands, source }: Candidate): boolean {
  return kind === undefined && source.api !== "guard" && (commands !== undefined || source.line === undefined);
}

/** Lets an approval also cover the file of test cases if one of them has `probe: true`. Sessions run such a case. */
export function withProbes(candidate: Candidate, files: Files): Candidate {
  if (!isProbed(candidate)) return candidate;
  const path = besideOf(candidate);
  return textOf(path, files)?.includes("probe: true") === true ? { ...candidate, cases: path } : candidate;
}

function textOf(path: string, files: Files): string | undefined {
  const stat = files.stat(path);
  const bytes = stat?.kind === "file" && stat.size <= MOST_BYTES ? files.read(path) : undefined;
  return bytes && lenientText(bytes);
}

/**
 * Returns the cases with `probe: true` in files beside the hooks that run. Only `cases` is read; nothing else in such a
 * file is loaded or run. Faults of a file are returned as diagnostics.
 */
export async function probesOf(
  loaded: readonly Loaded[],
  { scan, lanes }: { readonly scan: Scan; readonly lanes: readonly Lane[] },
): Promise<{ readonly probes: readonly Probe[]; readonly diagnostics: readonly Diagnostic[] }> {
  const probes: Probe[] = [];
  const diagnostics: Diagnostic[] = [];
  const running = loaded.filter(({ state, candidate }) => state === "runs" && candidate.cases !== undefined);
  for (const [path, group] of Map.groupBy(running, ({ candidate }) => candidate.cases as string)) {
    const hooks = group.flatMap((one) => one.hooks?.() ?? []);
    const { cases, problem } = await casesOf(path, scan.files);
    const programs = group.flatMap(({ candidate }) => (candidate.commands === undefined ? [] : [candidate]));
    if (programs.length > 0) await loadParser();
    const stamp = programs.length > 0 && { stamp: stampOf(programs, scan) };
    if (problem !== undefined)
      diagnostics.push(diagnose("BAD_ENTRY", { path, line: 1, problem, remedy: "`hookline hooks test` shows where." }));
    for (const one of cases) {
      const own = hooks.filter(({ event, instance }) =>
        lanes.some(
          ({ id, rows }) => id === instance.lane && rows.some(({ name, of }) => name === event && of === one.event),
        ),
      );
      if (own.length === 0) continue;
      probes.push({ name: one.name ?? basename(path), event: one.event, hooks: own, one, ...stamp });
    }
  }
  return { probes, diagnostics };
}

/**
 * Returns a function that returns a text about the state of the files that the definitions run; if a file changes, so
 * does the text. The first call finds the files.
 */
function stampOf(programs: readonly Candidate[], scan: Scan): () => string {
  let paths: readonly string[] | undefined;
  return () => {
    paths ??= programs.flatMap((one) => [...coverageOf(one, scan, theParser()).files.keys()]);
    const stats = paths.map((path) => scan.files.stat(path));
    return stats.map((one) => `${one?.id} ${one?.size} ${one?.mode} ${one?.ctimeMs ?? one?.mtimeMs}`).join();
  };
}

type FiledCase = GuardCase & { readonly event: string };

async function casesOf(
  path: string,
  files: Files,
): Promise<{ readonly cases: readonly FiledCase[]; readonly problem?: string }> {
  let value: unknown;
  try {
    const { parse } = await import("yaml");
    value = parse(textOf(path, files) ?? "", { maxAliasCount: 100, prettyErrors: false, logLevel: "error" });
  } catch (thrown) {
    return { cases: [], problem: messageOf(thrown) };
  }
  const { cases, event = EVENT } = isFields(value) ? value : {};
  const given = (Array.isArray(cases) ? cases : []).filter((one) => isFields(one) && one["probe"] === true);
  const read = given.map((one): FiledCase => ({ event, ...one }));
  const right = read.filter(
    (one) => catalog.has(one.event) && isFields(one.args ?? {}) && refusedCase([one]) !== undefined,
  );
  if (right.length === read.length) return { cases: right };
  return {
    cases: right,
    problem: 'a case with "probe: true" must be about an event of hookline and expect deny or ask',
  };
}
