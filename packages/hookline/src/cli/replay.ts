import { appendFileSync, closeSync, openSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { cleanText, messageOf } from "@hookline/ground";
import {
  EXIT,
  type Io,
  jsonText,
  plain,
  plainJson,
  type Standpoint,
  shortPaths,
  table,
  wrongUse,
} from "@hookline/ground/system";
import type { LlmTransport, Message } from "@hookline/runtime";
import type { Judgement, RecognisedSource } from "@hookline/runtime/past";
import { type ReplayResult, replay } from "@hookline/runtime/replay";
import { projectPath } from "../session/context.ts";
import { SessionManager } from "../session/session.ts";
import { readonlyView } from "../session/view.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { placeOf } from "../start/place.ts";
import { type FoundSources, findSources } from "./replay/find.ts";
import { failedWords, replayFlags } from "./replay/flags.ts";
import { modelsOf } from "./replay/models.ts";
import { requireRedacted } from "./replay/redacted-only.ts";
import { type Sides, withSides } from "./replay/sides.ts";
import { baselineText, classCounts, failedText, fleetLines, resultText, sideText } from "./replay/text.ts";
import { waterfall } from "./replay/waterfall.ts";

/** The exit code that shells use after an interrupt: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/** `hookline replay [SOURCE…|-|--fleet]`: what hooks would have done at moments of the past. */
export async function replaySources(args: Arguments, io: Io): Promise<number> {
  const flags = replayFlags(args);
  const place = await placeOf(args, io);
  const found = await findSources(args, io, place);
  try {
    if (args.flags["list"] === true) return listSources(found, args, io);
    if (args.flags["redacted"] === true) await requireRedacted(found.sources);
    if (found.sources.length === 0) io.err(`${found.none} ${found.advice}\n`);
    return await withSides(args, io, place, async (sides) => {
      for (const note of [...found.notes, ...sides.notes]) io.err(`${plain(note)}\n`);
      if (found.sources.length > 0) io.err(`Hooks run for real, as in a normal session, in ${plain(sides.cwd)}.\n`);
      const { llm, spent } = await modelsOf(args, io, place);
      const code = await run(args, io, { flags, place, sides, found, llm });
      const told = spent();
      if (told !== undefined) io.err(`${told}\n`);
      return code;
    });
  } finally {
    found.close();
  }
}

interface Prepared {
  readonly flags: ReturnType<typeof replayFlags>;
  readonly place: Standpoint;
  readonly sides: Sides;
  readonly found: FoundSources;
  readonly llm: LlmTransport | undefined;
}

async function run(args: Arguments, io: Io, prepared: Prepared): Promise<number> {
  const { flags, place, sides, found, llm } = prepared;
  const { sources, since, isInterrupted } = found;
  const broken = new AbortController();
  if (isInterrupted === true) broken.abort();
  const interrupt = (): void => broken.abort();
  const wanted = textFlag(args, "show");
  let shown: Judgement | undefined;
  const outPath = textFlag(args, "out");
  const out = outPath === undefined ? undefined : outOf(openFor("--out", resolve(io.cwd, outPath), "w"));
  const markdownPath = textFlag(args, "markdown");
  const markdown = markdownPath === undefined ? undefined : openFor("--markdown", resolve(io.cwd, markdownPath), "a");
  const progress = progressOf(io, bytesOf(sources), io.stdoutIsTerminal && process.stderr.isTTY === true);
  process.once("SIGINT", interrupt);
  let result: ReplayResult;
  try {
    result = await replay({
      sources: sources
        .map((source, at) => ({ ...source, id: `s${at + 1}` }))
        .filter(({ id }) => wanted === undefined || wanted.startsWith(`${id}:`)),
      lanes: sides.runtime.lanes,
      candidate: sides.candidate,
      ...(sides.current !== undefined && { current: sides.current }),
      ...(flags.baseline !== undefined && { baseline: flags.baseline }),
      cwd: sides.cwd,
      wanted: ({ event, t }) => (flags.events.length === 0 || flags.events.includes(event)) && (t === 0 || t >= since),
      startedFor: flags.events,
      isObserver: sides.isObserver,
      ...(flags.slower !== undefined && { slower: flags.slower }),
      jobs: flags.jobs,
      ...(llm !== undefined && { llm }),
      services: sides.services,
      storeOf: (branch) => readonlyView(SessionManager.inMemory(sides.cwd, {}, branch.entries() as never)),
      messagesOf: (entries) => projectPath(entries as never).messages as readonly Message[],
      ...((out !== undefined || wanted !== undefined) && {
        onJudged(judgement: Judgement) {
          out?.write(judgement);
          if (judgement.judged.moment !== wanted) return;
          shown = judgement;
          broken.abort();
        },
      }),
      onProgress: (done) => progress.tell(done),
      signal: broken.signal,
    });
  } finally {
    process.off("SIGINT", interrupt);
    progress.end();
  }
  if (wanted !== undefined) return showMoment(shown, wanted, args, io);
  const whole = { ...result, failed: failedWords(result, flags, args.flags["allow-empty"] === true) };
  io.out(args.flags["json"] === true ? jsonText(whole) : shortPaths(resultText(whole), place));
  out?.end(whole);
  if (markdown !== undefined) {
    appendFileSync(markdown, resultMarkdown(whole));
    closeSync(markdown);
  }
  if (whole.partial) return INTERRUPTED;
  return whole.failed.length > 0 ? EXIT.failed : EXIT.fine;
}

function showMoment(shown: Judgement | undefined, wanted: string, args: Arguments, io: Io): number {
  if (shown === undefined)
    throw wrongUse(
      "--show",
      `does not name a moment that hooks were asked about: ${wanted}`,
      "Take one from the result, such as s1:42 or s1:42.2.",
    );
  io.out(
    args.flags["json"] === true
      ? jsonText({
          v: 1,
          ...shown.judged,
          payload: shown.moment.payload,
          sides: { before: shown.before, after: shown.after },
        })
      : waterfall(shown),
  );
  return EXIT.fine;
}

function listSources({ sources, notes, none, isInterrupted }: FoundSources, args: Arguments, io: Io): number {
  for (const note of notes) io.err(`${plain(note)}\n`);
  const all = sources.map(({ path, name = path, kind, machine, session, cwd }, at) => ({
    id: `s${at + 1}`,
    path: name,
    kind,
    machine,
    session,
    cwd,
    bytes: sizeOf(path),
  }));
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, sources: all }));
  else if (all.length === 0) io.out(`${none}\n`);
  else
    io.out(
      table([
        ["id", "kind", "session", "bytes", "path"],
        ...all.map(({ id, kind, session, bytes, path }) => [id, kind, session, `${bytes}`, path]),
      ]),
    );
  return isInterrupted === true ? INTERRUPTED : EXIT.fine;
}

function bytesOf(sources: readonly RecognisedSource[]): number {
  return sources.reduce((all, { path }) => all + sizeOf(path), 0);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The maximum number of rows in a summary; CI pages cut off longer ones. */
const ROWS = 50;

/** Returns the result as Markdown for a CI page. */
function resultMarkdown(result: ReplayResult): string {
  const { moments, sources, asked, same, groups, failed } = result;
  const counts = classCounts(result).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `### Replay of hooks: ${failed.length > 0 ? "failed" : "passed"}`,
    "",
    `${moments} moments of ${sources.length} sources, compared with ${baselineText(result)}: ${[`${asked} asked`, `${same} the same`, ...counts].join(", ")}.`,
    ...(result.partial ? ["", "Interrupted: this is the result so far."] : []),
    ...fleetLines(result).flatMap((line) => ["", line]),
    ...(failed.length > 0 ? ["", failedText(result)] : []),
  ];
  if (groups.length > 0)
    lines.push("", "| count | class | shape | hook | example | before | after |", "|---:|---|---|---|---|---|---|");
  for (const { count, class: name, shape, hook, examples } of groups.slice(0, ROWS)) {
    const [first] = examples;
    const cells = [`${count}`, name, shape, hook];
    const shown = first === undefined ? ["", "", ""] : [first.moment, sideText(first.before), sideText(first.after)];
    lines.push(`| ${[...cells, ...shown].map(cell).join(" | ")} |`);
  }
  return `${lines.join("\n")}\n`;
}

/** Makes a foreign text safe for a table cell: it neither ends the cell nor is read as HTML or Markdown. */
function cell(text: string): string {
  const clean = cleanText(text, { controls: "show", lines: "fold" });
  return clean === "" ? "" : `<code>${clean.replace(/[&<>|`*_[\]\\@]/g, (c) => `&#${c.charCodeAt(0)};`)}</code>`;
}

/** A file of results: a header line, a line for each judged moment, and at the end the whole result. */
interface OutFile {
  write(judgement: Judgement): void;
  end(result: ReplayResult): void;
}

/** Opens a file that a flag names; throws if it cannot be written. */
function openFor(flag: string, path: string, how: "w" | "a"): number {
  try {
    return openSync(path, how, how === "w" ? 0o600 : undefined);
  } catch (thrown) {
    throw wrongUse(flag, `cannot be written: ${messageOf(thrown)}`, "Name a file in a folder that you may write to.");
  }
}

function outOf(fd: number): OutFile {
  const put = (line: object): void => writeFileSync(fd, Buffer.from(`${JSON.stringify(plainJson(line))}\n`));
  put({ v: 1, kind: "replay" });
  return {
    write({ judged, before, after }) {
      put({
        ...judged,
        hooks: { before: before.hooks, after: after.hooks },
        edits: { before: before.edits, after: after.edits },
      });
    },
    end(result) {
      put({ v: 1, end: true, result });
      closeSync(fd);
    },
  };
}

interface Progress {
  tell(done: { readonly moments: number; readonly bytes: number }): void;
  end(): void;
}

const BAR = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;

/** Reports progress on stderr: a bar on a terminal, otherwise a line every 10 s. */
function progressOf(io: Io, bytes: number, isTerminal: boolean, now: () => number = Date.now): Progress {
  const start = now();
  let told = start;
  let isShown = false;
  return {
    tell(done) {
      const t = now();
      if (t - told < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      told = t;
      const line = progressText(done, bytes, t - start);
      if (isTerminal) {
        io.err(`\r\x1b[2K${line}`);
        isShown = true;
      } else io.err(`${line}\n`);
    },
    end: () => isShown && io.err("\r\x1b[2K"),
  };
}

function progressText(done: { readonly moments: number; readonly bytes: number }, all: number, ms: number): string {
  const share = all === 0 ? 1 : Math.min(1, done.bytes / all);
  const filled = Math.round(share * BAR);
  const rate = Math.round(done.moments / Math.max(ms / 1000, 0.001));
  const left = share > 0 ? Math.round((ms / share - ms) / 1000) : undefined;
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
  return `${bar} ${Math.round(share * 100)} %  ${done.moments} moments, ${rate}/s${left === undefined ? "" : `, ${left} s left`}`;
}
