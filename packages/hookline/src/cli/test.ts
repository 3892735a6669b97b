import { existsSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseFrom, messageOf } from "@hookline/ground";
import { EXIT, type Io, jsonText, wrongUse } from "@hookline/ground/system";
import type { LoadReport } from "@hookline/runtime/session";
import { type Arguments, textFlag } from "../start/args.ts";
import { walk } from "../tool/walk.ts";
import { carriedCases, guardFile, guardsOf } from "./testing/carried.ts";
import { type CaseFile, type HookCase, readCaseFile } from "./testing/case-file.ts";
import { coverageOf } from "./testing/coverage.ts";
import { asJunit, asTap, asText, countsOf, coverageText, type FileResult } from "./testing/formats.ts";
import { openFor } from "./testing/opened.ts";
import { type CaseResult, runCase } from "./testing/run-case.ts";

const ENDING = ".hooks-test.yaml";
const REPORTERS = { text: asText, tap: asTap, junit: asJunit } as const;
type Reporter = keyof typeof REPORTERS;

/** How often watched files are checked, in ms. */
const LOOK_MS = 300;

/** `hookline hooks test [FILES]`: asks hooks about the cases in files, and reports which had unexpected results. */
export async function testCases(args: Arguments, io: Io): Promise<number> {
  const reporter = readReporter(args);
  const cwd = resolve(io.cwd, textFlag(args, "cwd") ?? ".");
  const paths = args.words.length > 0 ? args.words.map((word) => resolve(io.cwd, word)) : await allBelow(cwd);
  if (paths.length === 0) {
    io.err(
      `There are no guards in ${cwd}/.hookline/guards, and no file below it ends in ${ENDING}. Write one, or name the files.\n`,
    );
    return EXIT.usage;
  }
  const show = (files: readonly FileResult[]): void => {
    if (args.flags["json"] === true) io.out(jsonText(asData(files)));
    else {
      const name = (path: string): string => shortened(path, cwd);
      io.out(REPORTERS[reporter](files, name));
      if (reporter !== "text") io.err(coverageText(files, name));
    }
  };
  const run = new TestRun(paths, args, io);
  const files = await run.all();
  show(files);
  if (args.flags["watch"] === true) await watch(run, io, show);
  return countsOf(files).failed > 0 ? EXIT.failed : EXIT.fine;
}

function readReporter(args: Arguments): Reporter {
  const name = textFlag(args, "reporter") ?? "text";
  if (Object.hasOwn(REPORTERS, name)) return name as Reporter;
  throw wrongUse("--reporter", `is not a format: ${name}`, chooseFrom(name, Object.keys(REPORTERS)));
}

/** Lists the files of a folder's own guards, and the files of cases below the folder. */
async function allBelow(cwd: string): Promise<string[]> {
  return [...guardsOf(cwd), ...(await casesBelow(cwd))];
}

/** Lists the files of cases below a folder, except in `node_modules` and in what `.gitignore` excludes. */
async function casesBelow(cwd: string): Promise<string[]> {
  const paths: string[] = [];
  const skip = ({ relative: name, kind }: { relative: string; kind: string }): boolean =>
    kind === "folder" && /(?:^|\/)node_modules$/.test(name);
  for await (const { path, kind } of walk(cwd, { cwd, skip }))
    if (kind === "file" && path.endsWith(ENDING)) paths.push(path);
  return paths.sort();
}

type Wanted = (one: HookCase, before: CaseResult | undefined) => boolean;

/** The results of the case files of a run, and the files of the hooks that the cases ask. */
class TestRun {
  readonly #args: Arguments;
  readonly #io: Io;
  readonly #results = new Map<string, FileResult>();
  /** The hook files that each case file asks, with the ids of their hooks. */
  readonly #sources = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly paths: readonly string[];

  constructor(paths: readonly string[], args: Arguments, io: Io) {
    this.paths = paths;
    this.#args = args;
    this.#io = io;
  }

  async all(): Promise<FileResult[]> {
    const files: FileResult[] = [];
    for (const path of this.paths) files.push(await this.#file(path, () => true));
    return files;
  }

  /** Lists every file whose change could change a result. */
  watched(): string[] {
    return [...new Set([...this.paths, ...[...this.#sources.values()].flatMap((sources) => [...sources.keys()])])];
  }

  /**
   * Runs the cases that changed files affect: all cases of a changed case file, those in which a changed hook was
   * asked, and those that failed.
   */
  async again(changed: readonly string[]): Promise<FileResult[]> {
    const files: FileResult[] = [];
    for (const path of this.paths) {
      const sources = this.#sources.get(path) ?? new Map<string, readonly string[]>();
      const touched = changed.flatMap((one) => sources.get(one) ?? []);
      const isOwn = changed.includes(path);
      if (!isOwn && !changed.some((one) => sources.has(one))) continue;
      // A case runs again if it failed, was not run the last time, or asked a hook of a changed file.
      const wanted: Wanted = (_, before) =>
        isOwn || before === undefined || before.problems.length > 0 || before.asked.some((id) => touched.includes(id));
      files.push(await this.#file(path, wanted));
    }
    return files;
  }

  async #file(path: string, wanted: Wanted): Promise<FileResult> {
    const file = guardFile(path) ?? (await readCaseFile(path));
    const result = file.problems.length > 0 ? unread(file) : await this.#cases(file, wanted);
    this.#results.set(path, result);
    return result;
  }

  async #cases(file: CaseFile, wanted: Wanted): Promise<FileResult> {
    const { path } = file;
    const earlier = new Map((this.#results.get(path)?.cases ?? []).map((result) => [result.one.name, result]));
    let opened: Awaited<ReturnType<typeof openFor>>;
    try {
      opened = await openFor(file, this.#args, this.#io);
    } catch (thrown) {
      return { path, problems: [messageOf(thrown)], cases: [] };
    }
    try {
      const cases: CaseResult[] = [];
      const guarded = guardFile(path) === undefined ? undefined : carriedCases(opened.session);
      for (const one of guarded ?? file.cases)
        if (wanted(one, earlier.get(one.name))) cases.push(await runCase(one, opened));
      const sources = new Map<string, string[]>();
      for (const { path: at } of opened.session.report.sources) sources.set(at, []);
      for (const { hook } of opened.session.hooks())
        sources.set(hook.source.path, [...(sources.get(hook.source.path) ?? []), hook.id]);
      this.#sources.set(path, sources);
      const coverage = this.#args.flags["coverage"] === true && coverageOf(opened.session, opened.lanes, cases);
      const problems = guarded === undefined ? [] : faultsIn(opened.session.report);
      return { path, problems, cases, ...(coverage && { coverage }) };
    } finally {
      await opened.close();
    }
  }
}

/** Returns the errors that were reported when guards were loaded, as texts for a person. */
function faultsIn({ diagnostics }: LoadReport): string[] {
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message, hint }) => `${message}. ${hint}`);
}

function unread({ path, problems }: CaseFile): FileResult {
  return {
    path,
    problems: problems.map(({ line, problem }) => (line === undefined ? problem : `line ${line}: ${problem}`)),
    cases: [],
  };
}

/** Runs the affected cases after each save, until nobody reads the results. Polls: editors replace the files. */
async function watch(run: TestRun, io: Io, show: (files: readonly FileResult[]) => void): Promise<void> {
  io.err("Watching the cases and their hooks; Ctrl+C ends it.\n");
  let seen = statesOf(run.watched());
  while (io.readerGone?.aborted !== true) {
    await sleep(LOOK_MS);
    const now = statesOf(run.watched());
    const changed = [...now].flatMap(([path, state]) => (seen.get(path) === state ? [] : [path]));
    seen = now;
    if (changed.length === 0) continue;
    show(await run.again(changed));
    seen = new Map([...statesOf(run.watched()), ...[...seen].filter(([path]) => now.has(path))]);
  }
}

function statesOf(paths: readonly string[]): Map<string, string> {
  return new Map(
    paths.map((path) => {
      const stat = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
      return [path, stat === undefined ? "" : `${stat.mtimeMs} ${stat.size} ${stat.ino}`];
    }),
  );
}

function asData(files: readonly FileResult[]): object {
  return {
    v: 1,
    ...countsOf(files),
    files: files.map(({ path, problems, cases, coverage }) => ({
      path,
      problems,
      cases: cases.map(({ one, problems: wrong, ms, word, event, asked }) => ({
        name: one.name,
        line: one.line,
        event: event ?? one.event,
        ok: wrong.length === 0,
        problems: wrong,
        ...(word !== undefined && { came: word }),
        asked,
        ms: Math.round(ms * 1000) / 1000,
      })),
      ...(coverage !== undefined && { coverage }),
    })),
  };
}

function shortened(path: string, cwd: string): string {
  const name = relative(cwd, path);
  return name.startsWith("..") ? path : name;
}
