import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { RecordingFile } from "../packages/hookline/src/record/file.ts";
import { RecordingWriter } from "../packages/runtime/src/record/write.ts";
import { bytesOf, HEADER, momentOf, momentsOf, recordingOf } from "../packages/runtime/test/record/memory.ts";
import { CHILD_ENV } from "../scripts/child-env.ts";
import type { Claim } from "./claim.ts";
import { secretsStayOut } from "./recordings/canaries.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, folder, works } from "./stage/ground.ts";

const LF = 10;

/** Returns a recording of a growing conversation, with long values, repeats, and texts that look like references. */
function sample(): Buffer {
  const messages = Array.from({ length: 6 }, (_, i) => ({ role: "user", content: `${i} ${"é".repeat(90)}` }));
  const lists = messages.map((_, i) => momentOf({ messages: messages.slice(0, i + 1) }, { event: "model.context" }));
  const odd = momentOf({ $at: 7, $list: [1], text: '\u2028\\"\u0000'.repeat(40) });
  return recordingOf([...lists, odd, momentOf({ again: messages }), momentOf("x".repeat(300))]);
}

/** A recording that is cut at any byte is read to its last whole line, and continuing it loses nothing. */
const cutAtEveryByte: Experiment = {
  id: "a recording, cut",
  async run(tally, { full }) {
    using top = folder();
    const bytes = sample();
    const all = await momentsOf(readRecording(bytesOf(bytes)));
    const ends = all.map(({ at }) => bytes.indexOf(LF, at));
    for (let length = 0; length <= bytes.length; length++) {
      const kept = ends.filter((end) => end <= length).length;
      const reader = readRecording(bytesOf(bytes.subarray(0, length)));
      const read = (await momentsOf(reader)).map(({ payload }) => payload);
      const wanted = all.slice(0, kept).map(({ payload }) => payload);
      const isRead = JSON.stringify(read) === JSON.stringify(wanted) && reader.skipped.unreadable === 0;
      tally.trial(isRead ? undefined : `cut at ${length} ${read.length} of ${kept} moments are read`);
      if (length % (full ? 5 : 97) === 0)
        tally.trial(await resumed(join(top.path, `${length}.jsonl`), bytes.subarray(0, length), wanted));
    }
    tally.figure(`${bytes.length} bytes, cut at every one`);
  },
};

/** Returns the fault of a recording that is continued after these bytes. */
async function resumed(path: string, bytes: Buffer, kept: readonly unknown[]): Promise<string | undefined> {
  writeFileSync(path, bytes, { mode: 0o600 });
  const file = new RecordingFile(path, { level: "all", sessionFile: undefined, compresses: false, failing: () => {} });
  const writer = new RecordingWriter(file, HEADER, { at: file.place() });
  const fresh = [{ text: "y".repeat(400) }, { text: "y".repeat(400) }];
  for (const payload of fresh) writer.moment(momentOf(payload));
  writer.end();
  await file.flush();
  const reader = readRecording(path);
  const read = (await momentsOf(reader)).map(({ payload }) => payload);
  reader.close();
  const isRead = JSON.stringify(read) === JSON.stringify([...kept, ...fresh]) && reader.isWhole;
  return isRead
    ? undefined
    : `what goes on behind byte ${bytes.length} is not read: ${read.length} moments, ${JSON.stringify(reader.skipped)}`;
}

const program = join(import.meta.dirname, "recordings/host.ts");

/** Runs the program that records, and returns the numbers of the allowed calls. */
function recordWith(
  path: string,
  {
    wrapper = [],
    most,
    killAfterMs,
  }: { readonly wrapper?: readonly string[]; readonly most?: number; readonly killAfterMs?: number },
): Promise<readonly number[]> {
  const args = ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning", program, path];
  const [file = "", ...rest] = [...wrapper, process.execPath, ...args, ...(most === undefined ? [] : [`${most}`])];
  const child = spawn(file, rest, { stdio: ["ignore", "pipe", "ignore"], env: CHILD_ENV });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (out === "" && killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    out += text;
  });
  return new Promise((resolve) => {
    const lines = (): number[] =>
      out
        .slice(0, out.lastIndexOf("\n") + 1)
        .split("\n")
        .filter(Boolean)
        .map(Number);
    child.once("close", () => resolve(lines()));
  });
}

/** Returns the fault of a file that must contain every allowed call. */
async function missing(path: string, allowed: readonly number[], isTornFine: boolean): Promise<string | undefined> {
  if (!existsSync(path)) return allowed.length === 0 ? undefined : "there is no file";
  const reader = readRecording(path);
  const calls = new Set(
    (await momentsOf(reader)).map(({ payload }) => (payload as { toolCallId?: string }).toolCallId),
  );
  reader.close();
  const lost = allowed.filter((n) => !calls.has(`c${n}`));
  if (lost.length > 0)
    return `${lost.length} of ${allowed.length} calls that ran are not on record, such as ${lost[0]}`;
  if (reader.skipped.unreadable > 0) return `${reader.skipped.unreadable} lines cannot be read`;
  return reader.skipped.torn && !isTornFine ? "it ends in the middle of a line" : undefined;
}

/** If the recorder is killed at any moment, the recording contains every call that was allowed to run. */
const killed: Experiment = {
  id: "a recording, killed",
  async run(tally, { full }) {
    using top = folder();
    let calls = 0;
    await each(
      Array.from({ length: full ? 60 : 4 }, (_, i) => i),
      2,
      async (i) => {
        const path = join(top.path, `${i}.jsonl`);
        const allowed = await recordWith(path, { killAfterMs: Math.random() * 60 });
        calls += allowed.length;
        tally.trial(allowed.length === 0 ? "nothing was recorded" : await missing(path, allowed, true));
      },
    );
    tally.figure(`${calls} calls`);
  },
};

/** If a file cannot grow beyond a size, nothing runs that is not in it, and no line is torn. */
const full: Experiment = {
  id: "a recording on a full disk",
  async run(tally, about) {
    if (!works("prlimit", "--version")) return tally.skip("prlimit is not installed");
    using top = folder();
    const sizes = Array.from({ length: about.full ? 60 : 4 }, () => Math.floor(Math.random() * 20_000));
    let refused = 0;
    await each(sizes, 2, async (size) => {
      const path = join(top.path, `${size}.jsonl`);
      const allowed = await recordWith(path, { wrapper: ["prlimit", `--fsize=${size}`], most: 60 });
      refused += 60 - allowed.length;
      const isOver = existsSync(path) && readFileSync(path).length > size;
      tally.trial(isOver ? `${size} bytes were no limit` : await missing(path, allowed, false));
    });
    tally.trial(refused > 0 ? undefined : "no size was too small");
    tally.figure(`${refused} of ${sizes.length * 60} calls refused`);
  },
};

export const claim: Claim = {
  name: "recordings",
  says: "a recording that ends anywhere is read to its last whole line, no guarded call runs without the record that it requires, and no removed secret is in it",
  run: (size) => findingOf([cutAtEveryByte, killed, full, secretsStayOut], size),
};
