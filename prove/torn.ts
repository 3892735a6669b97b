import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSession } from "../packages/hookline/src/session/session.ts";
import { assistant } from "../packages/hookline/test/session/talk.ts";
import type { Claim } from "./claim.ts";
import { sampleSession, unsynced, wholeLines } from "./sessions/sample.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { folder, works } from "./stage/ground.ts";

const LF = 10;

/** A file that is cut at any byte keeps its whole lines, and the next appended line does not join a torn one. */
const cutAtEveryByte: Experiment = {
  id: "R46, cut",
  async run(tally, { full }) {
    using top = folder();
    const bytes = sampleSession(top.path);
    for (let length = 0; length <= bytes.length; length += full ? 1 : 5)
      tally.trial(cut(top.path, bytes.subarray(0, length)));
    tally.figure(`${bytes.length} bytes, cut at ${full ? "every" : "every fifth"} one`);
  },
};

/** Returns the fault of a session whose file has these bytes. */
function cut(top: string, bytes: Buffer): string | undefined {
  const path = join(top, `cut-${bytes.length}.jsonl`);
  writeFileSync(path, bytes);
  const kept = wholeLines(bytes.toString("utf8")).slice(1);
  const opened = openSession({ kind: "file", path }, { cwd: "/project" }, { disk: unsynced });
  if (opened.state !== "open") return `cut at ${bytes.length} it is ${opened.state}`;
  const { session } = opened;
  const read = session.getEntries().map((entry) => JSON.stringify(entry));
  if (read.join("\n") !== kept.join("\n")) return `cut at ${bytes.length} ${kept.length - read.length} lines are lost`;
  session.appendMessage(assistant("after the cut"));
  session.close();
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.pop() !== "") return `cut at ${bytes.length} it ends in the middle of a line`;
  const whole = wholeLines(lines.join("\n"));
  if (whole.length !== lines.length) return `cut at ${bytes.length} a line is fused`;
  const [last = ""] = whole.splice(-1);
  if (whole.slice(1).join("\n") !== kept.join("\n")) return `cut at ${bytes.length} the repair loses lines`;
  if (!last.includes("after the cut")) return `cut at ${bytes.length} the next entry is lost`;
  const fragment = bytes.subarray(bytes.lastIndexOf(LF) + 1).toString("latin1");
  const aside = existsSync(`${path}.bak`) ? readFileSync(`${path}.bak`, "latin1") : "";
  const torn = fragment !== "" && wholeLines(bytes.subarray(bytes.lastIndexOf(LF) + 1).toString("utf8")).length === 0;
  return aside === (torn ? `${fragment}\n` : "") ? undefined : `cut at ${bytes.length} the torn end is not kept aside`;
}

/** Wherever a limit on file size cuts a write short, no entry is lost and no line is torn. */
const shortAtEveryByte: Experiment = {
  id: "R46, short write",
  async run(tally, { full }) {
    if (!works("prlimit", "--version")) {
      tally.skip("prlimit is not installed");
      return;
    }
    using top = folder();
    const program = new URL("../packages/hookline/test/session/fixtures/limit.ts", import.meta.url).pathname;
    const bytes = 2100;
    const step = full ? 1 : 50;
    const flags = ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning"];
    mkdirSync(join(top.path, "limited"));
    const args = [join(top.path, "limited"), "0", String(bytes), String(step), "1200"];
    const said = execFileSync(process.execPath, [...flags, program, ...args], { encoding: "utf8", stdio: "pipe" });
    const { limited, wrong } = JSON.parse(said) as { limited: number; wrong: string[] };
    for (let size = 0; size < bytes; size += step)
      tally.trial(wrong.find((problem) => problem.startsWith(`${size}: `)));
    tally.figure(`limits of 0 to ${bytes - 1} bytes, ${limited} of which made a write short`);
  },
};

export const claim: Claim = {
  name: "torn",
  says: "a session file that is torn at any byte, by a cut or by a short write, loses no whole line and joins none",
  run: (size) => findingOf([cutAtEveryByte, shortAtEveryByte], size),
};
