import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "./claim.ts";
import { type Answers, answersOf, type OpenLine, SETTINGS } from "./consent/answers.ts";
import { type Drawn, drawn } from "./consent/drawn.ts";
import { Ground, HAS_STRACE, PATH, type Run, type Traced } from "./consent/ground.ts";
import { foldersToBind, judged, type Opened } from "./consent/judge.ts";
import { installed } from "./consent/languages.ts";
import { type Handler, layOut, type Published, payloadsFor, publishedEntries, unpacked } from "./consent/public.ts";
import { Chance } from "./stage/chance.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

const HOOKS = 2000;
const QUICK = 60;
const QUICK_PUBLIC = 6;
const AT_ONCE = 2;
const SEED = 47;
/** Largest share of the open lines that may refer to nothing that ran. */
const MOST_UNJUSTIFIED = 0.1;
/** So few lines prove nothing about the share. */
const FEW = 3;
/** The most files opened by a public hook in which a marker is tried. */
const MOST_FILES = 40;
const NOT_FOUND = 127;

const CALL = JSON.stringify({
  session_id: "s",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

/** Counts over all hooks of an experiment. */
class Count {
  #lines = 0;
  #unjustified = 0;
  #opened = 0;
  #unreached = 0;

  /** Adds the lines of a hook; lines that no run reached are counted separately. */
  add(opened: readonly Opened[], lines: number, unjustified: number, unreached = 0): void {
    this.#lines += lines - unreached;
    this.#unjustified += unjustified;
    this.#unreached += unreached;
    this.#opened += opened.length;
  }

  tell(tally: Tally): void {
    const share = `${this.#unjustified} of ${this.#lines} lines about what is open are about nothing that ran`;
    tally.trial(this.#unjustified > Math.max(this.#lines * MOST_UNJUSTIFIED, FEW) ? share : undefined);
    tally.figure(`${this.#opened} files opened; ${share}`);
    if (this.#unreached > 0) tally.figure(`${this.#unreached} more lines are about what no run came to or found`);
  }
}

/**
 * Returns the files that runs of a hook opened, and which of them are code. Code is not tested for if it does not
 * matter: for a covered file while nothing is open.
 */
async function openedBy(
  ground: Ground,
  runs: readonly Run[],
  traced: readonly Traced[],
  answers: Answers,
): Promise<readonly Opened[]> {
  const programs = new Set(traced.flatMap((one) => [...one.programs]));
  const files = new Set(traced.flatMap(({ opened }) => [...opened]));
  const found: Opened[] = [];
  let left = MOST_FILES;
  for (const file of [...files].filter((one) => one !== SETTINGS).sort()) {
    const matters = answers.open.length > 0 || !answers.covered(file);
    let isCode = !matters;
    if (matters && left-- > 0) {
      for (const [at, run] of runs.entries())
        isCode ||= traced[at]?.opened.has(file) === true && (await ground.isCode(file, run, programs));
    }
    found.push({ file, isCode });
  }
  return found;
}

async function triedOne(one: Drawn, tally: Tally, count: Count): Promise<void> {
  const { says, files, command, env, edges, below } = one;
  using ground = new Ground(undefined, below);
  for (const [path, content] of Object.entries(files)) ground.write(path, content);
  ground.write(SETTINGS, settingsOf({ event: "PreToolUse", matcher: "*", command }, env));
  const answers = await answersOf(ground);
  if (answers === undefined) throw new Error(`${command} is no hook`);
  const run: Run = { command, env, stdin: CALL };
  const opened = await openedBy(ground, [run], [await ground.trace(run)], answers);
  const { silentCode, silentData, unjustified } = judged(opened, answers, edges);
  count.add(opened, answers.open.length, unjustified.length);
  const shown = `(${says}): ${JSON.stringify({ command, env, files, below })}`;
  tally.trial(told(silentCode, "ran", shown) ?? told(silentData, "was read", shown));
  for (const { from, piece, way, to } of edges)
    if ([...silentCode, ...silentData].includes(to) && (from === undefined || answers.covered(from)))
      report(`silent [${way}] ${JSON.stringify(piece)} in ${from ?? SETTINGS} > ${to} ${shown}`);
  for (const { piece, file } of unjustified) report(`${file}: "${piece}" is open for nothing ${shown}`);
  if (answers.open.length === 0 || silentCode.length > 0) return;
  tally.trial(stillOpen(answers, below === undefined ? "" : "..", shown));
  const folders = foldersToBind(answers.open, edges);
  const bound = judged(opened, answers.bound(folders), edges);
  tally.trial(told(bound.silentCode, `ran though ${folders.join(" and ")} is bound`, shown));
}

function told(files: readonly string[], verb: string, shown: string): string | undefined {
  return files.length === 0 ? undefined : `${files.join(", ")} ${verb}, and the approval does not say so ${shown}`;
}

/** Says which pieces stay open although a person has bound what the lines name, or the whole project. */
function stillOpen(answers: Answers, whole: string, shown: string): string | undefined {
  let now = answers;
  const paths = new Set<string>();
  // A bound file may start further files.
  for (let before = -1; before < paths.size && now.open.length > 0; now = answers.bound([...paths])) {
    before = paths.size;
    for (const { bind } of now.open) for (const path of bind.length > 0 ? bind : [whole]) paths.add(path);
  }
  const [line] = now.open;
  return line && `"${line.piece}" in ${line.file} is open though ${[...paths].join(", ")} is bound ${shown}`;
}

/** Prints each unjustified line, for developers of the rule. */
function report(text: string): void {
  if (process.env["HOOKLINE_ORACLE"] === "lines") process.stderr.write(`${text}\n`);
}

function settingsOf({ event, matcher, command }: Handler, env: Readonly<Record<string, string>>): string {
  const hooks = { [event]: [{ matcher, hooks: [{ type: "command", command }] }] };
  return `${JSON.stringify({ env, hooks }, undefined, 2)}\n`;
}

const generated: Experiment = {
  id: "generated hooks",
  async run(tally, { full }) {
    if (!HAS_STRACE) return tally.skip("strace does not work here");
    const seed = Number(process.env["HOOKLINE_SEED"] ?? SEED);
    const chance = new Chance(seed);
    const languages = installed(PATH);
    const all = Array.from({ length: full ? HOOKS : QUICK }, () => drawn(chance, languages));
    const count = new Count();
    await each(all, AT_ONCE, (one) => triedOne(one, tally, count));
    count.tell(tally);
    tally.figure(`seed ${seed}`);
  },
};

/** Tries a hook that somebody has published; returns whether it can run here. */
async function triedPublic(
  { name, place, env }: Published,
  handler: Handler,
  tally: Tally,
  count: Count,
): Promise<boolean> {
  using ground = new Ground(place);
  ground.write(SETTINGS, settingsOf(handler, env));
  const answers = await answersOf(ground);
  if (answers === undefined) return false;
  const { command } = handler;
  const runs = payloadsFor(handler, place.project).map((stdin): Run => ({ command, env, stdin, isForeign: true }));
  const there = ground.files();
  const traced: Traced[] = [];
  for (const run of runs) {
    const one = await ground.trace(run);
    // Files that a run itself has written do not count.
    traced.push({ ...one, opened: new Set([...one.opened].filter((file) => there.has(file))) });
  }
  // A program that is not installed proves nothing.
  if (traced.every(({ exit }) => exit === NOT_FOUND)) return false;
  const opened = await openedBy(ground, runs, traced, answers);
  const { silentCode, unjustified: all } = judged(opened, answers);
  // A line that no run reaches, or whose file is missing, does not show what it would start.
  const unjustified: OpenLine[] = [];
  for (const line of all) if (await isReached(ground, line, runs, traced)) unjustified.push(line);
  count.add(opened, answers.open.length, unjustified.length, all.length - unjustified.length);
  const shown = `(${name}): ${JSON.stringify(command)}`;
  tally.trial(told(silentCode, "ran", shown));
  for (const file of silentCode) report(`silent ${file} ${shown}`);
  for (const { piece, file } of unjustified) report(`${file}: "${piece}" is open for nothing ${shown}`);
  return true;
}

/** Whether a run reaches a line, and finds all the code that it looks for. */
async function isReached(
  ground: Ground,
  line: OpenLine,
  runs: readonly Run[],
  traced: readonly Traced[],
): Promise<boolean> {
  for (const [at, run] of runs.entries()) {
    const one = traced[at];
    if (one !== undefined && !one.missesCode && (await ground.reaches(line, run, one))) return true;
  }
  return false;
}

const published: Experiment = {
  id: "public hooks",
  async run(tally, { full }) {
    const clones = process.env["HOOKLINE_CLONES"];
    if (!HAS_STRACE) return tally.skip("strace does not work here");
    if (clones === undefined) return tally.skip("HOOKLINE_CLONES names no folder of clones");
    const into = mkdtempSync(join(tmpdir(), "oracle-public-"));
    const count = new Count();
    let absent = 0;
    let at = 0;
    try {
      const entries = publishedEntries();
      const step = full ? 1 : Math.ceil(entries.length / QUICK_PUBLIC);
      for (const { of, entry } of entries.filter((_, index) => index % step === 0)) {
        using one = layOut(entry, of, unpacked(of, clones, into));
        for (const handler of full ? one.handlers : one.handlers.slice(0, 1)) {
          at += 1;
          if (!(await triedPublic(one, handler, tally, count))) absent += 1;
        }
      }
      count.tell(tally);
      tally.figure(`${at} hooks, ${absent} of them cannot run here`);
    } finally {
      rmSync(into, { recursive: true, force: true });
    }
  },
};

export const claim: Claim = {
  name: "consent",
  says: "what a project's hook runs is covered by its approval or called open by it, what it reads is named, and little is called open for nothing",
  run: (size) => findingOf([generated, published], size),
};
