import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { OpenResult } from "../packages/hookline/src/session/open.ts";
import { openSession, type SessionManager } from "../packages/hookline/src/session/session.ts";
import type { StorageReport } from "../packages/hookline/src/session/storage.ts";
import { assistant, user } from "../packages/hookline/test/session/talk.ts";
import { Place, type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { wholeLines } from "./sessions/sample.ts";
import { SCRIPT, toldMessages } from "./sessions/scripted.ts";
import { mountDisk } from "./soak/disk.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { each, works } from "./stage/ground.ts";

const NOBODY = 65534;
/** The message of a run whose session cannot be stored. */
const TOLD = /could not be (?:opened for writing|repaired|written|synced to disk)/g;

const args = (place: Place, session: string): string[] => [
  ...["--script", place.path("script.json"), "--session", session, "--mode", "json", "go"],
];

/** Returns the fault of a run whose storage failed: it must answer, say so once, and leave a file of whole lines. */
function survived(what: string, ran: Ran, session: string): string | undefined {
  if (ran.code !== 0) return `${what}: the run ended with ${ran.code}: ${ran.err.slice(-200)}`;
  if (!ran.out.includes('"text":"done"')) return `${what}: there is no answer`;
  const told = [...`${ran.out}${ran.err}`.matchAll(TOLD)].length;
  if (told !== 1) return `${what}: it was told ${told} times`;
  if (!existsSync(session)) return undefined;
  const lines = readFileSync(session, "utf8").split("\n");
  const whole = wholeLines(lines.join("\n"));
  return lines.pop() === "" && whole.length === lines.length ? undefined : `${what}: a torn line is left in the file`;
}

/** Each system call on the session's file fails in turn, once or from then on. */
const injected: Experiment = {
  id: "R49, injected",
  async run(tally, { full }) {
    if (!works("strace", "-V")) {
      tally.skip("strace is not installed");
      return;
    }
    using place = new Place();
    place.write("script.json", SCRIPT);
    const codes = full ? ["ENOSPC", "EDQUOT", "EIO"] : ["ENOSPC"];
    const points = codes.flatMap((code) =>
      ["write", "fsync"].flatMap((call) =>
        ["", "+"].flatMap((on) =>
          Array.from({ length: call === "write" ? 9 : 3 }, (_, index) => ({
            code,
            call,
            when: `${index + 1}${on}`,
          })).filter((_, index) => full || index % 3 === 0),
        ),
      ),
    );
    await each(points, 2, async ({ code, call, when }) => {
      const session = place.path(`${code}-${call}-${when}.jsonl`);
      const inject = `inject=${call}:error=${code}:when=${when}`;
      const wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", session, "-e", `trace=${call}`, "-e", inject];
      const ran = await runAgent(place, args(place, session), { wrapper });
      const problem = survived(`${code} at ${call} ${when}`, ran, session);
      // Data whose write failed once is written with the next call; if writes keep failing, it is lost.
      const kept = when.endsWith("+") && call === "write" ? undefined : missing(ran, session);
      tally.trial(problem ?? (kept && `${code} at ${call} ${when}: ${kept}`));
    });
  },
};

function missing({ out }: Ran, session: string): string | undefined {
  const kept = readFileSync(session, "utf8");
  const lost = toldMessages(out).filter((message) => !kept.includes(JSON.stringify(message)));
  return lost.length === 0 ? undefined : `${lost.length} entries were not written when storage worked again`;
}

/** The disk is full, read-only, another user's, or missing. */
const places: Experiment = {
  id: "R49, places",
  async run(tally) {
    using place = new Place();
    place.write("script.json", SCRIPT);
    const folder = join(place.top, "disk");
    await fullDisk(tally, place, folder);
    await readOnly(tally, place);
    await notOurs(tally);
    const session = join(place.top, "gone/s.jsonl");
    mkdirSync(join(place.top, "gone"));
    let gone = false;
    const ran = await runAgent(place, args(place, session), {
      watch(_, out) {
        if (gone || !out.includes("tool_execution_start")) return;
        gone = true;
        rmSync(join(place.top, "gone"), { recursive: true });
      },
    });
    const lost = ran.code === 0 ? missing(ran, session) : `the run ended with ${ran.code}`;
    tally.trial(lost && `folder removed: ${lost}`);
    if (works("prlimit", "--version")) {
      for (const bytes of [0, 1, 200, 1000, 2000]) {
        const limited = place.path(`limited-${bytes}.jsonl`);
        const wrapper = ["prlimit", `--fsize=${bytes}:`, "--"];
        const short = await runAgent(place, args(place, limited), { wrapper });
        tally.trial(survived(`files of ${bytes} bytes at most`, short, limited));
      }
    } else tally.skip("EFBIG: prlimit is not installed");
  },
};

async function fullDisk(tally: Tally, place: Place, folder: string): Promise<void> {
  using disk = mountDisk(folder, 256 << 10);
  if (disk === undefined) {
    tally.skip("a full disk: mounting is not permitted");
    return;
  }
  disk.fill();
  const session = join(folder, "s.jsonl");
  tally.trial(survived("full disk", await runAgent(place, args(place, session)), session));
  disk.free();
  const reports: string[] = [];
  const opened = openSession({ kind: "file", path: join(folder, "t.jsonl") }, { cwd: "/project" }, collecting(reports));
  const manager = sessionOf(opened);
  manager.appendMessage(assistant("before"));
  disk.fill();
  for (let index = 0; index < 40; index++) manager.appendMessage(user(`${index} ${"x".repeat(2000)}`));
  disk.free();
  manager.appendMessage(assistant("after"));
  const whole = (await manager.flush()) && wholeLines(readFileSync(join(folder, "t.jsonl"), "utf8")).length === 43;
  manager.close();
  tally.trial(whole ? undefined : "entries are missing when there is room again");
  const outage = reports.join() === "ENOSPC,recovered";
  tally.trial(outage ? undefined : `an outage was told as ${reports.join()}`);
}

async function readOnly(tally: Tally, place: Place): Promise<void> {
  const folder = join(place.top, "read-only");
  mkdirSync(folder);
  const mount = (...words: readonly string[]): boolean => spawnSync("mount", words, { stdio: "ignore" }).status === 0;
  if (!mount("--bind", folder, folder) || !mount("-o", "remount,bind,ro", folder)) {
    tally.skip("EROFS: mounting is not permitted");
    return;
  }
  try {
    const session = join(folder, "s.jsonl");
    tally.trial(survived("read-only", await runAgent(place, args(place, session)), session));
  } finally {
    spawnSync("umount", ["-l", folder], { stdio: "ignore" });
  }
}

async function notOurs(tally: Tally): Promise<void> {
  const nobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  if (!works(nobody[0] as string, ...nobody.slice(1), process.execPath, "-e", "0")) {
    tally.skip("EACCES: no other user may be taken on");
    return;
  }
  using place = new Place();
  place.write("script.json", SCRIPT);
  const folder = join(place.top, "root's");
  mkdirSync(folder, { mode: 0o755 });
  for (const path of [place.top, place.home, place.project]) chownSync(path, NOBODY, NOBODY);
  const session = join(folder, "s.jsonl");
  tally.trial(survived("somebody else's", await runAgent(place, args(place, session), { wrapper: nobody }), session));
}

function collecting(into: string[]) {
  const onStorage = (report: StorageReport): void =>
    void into.push(report.state === "failing" ? report.code : report.state);
  return { onStorage };
}

function sessionOf(opened: OpenResult<SessionManager>): SessionManager {
  if (opened.state !== "open") throw new Error(`a session could not be opened: ${opened.state}`);
  return opened.session;
}

export const claim: Claim = {
  name: "storage",
  says: "if a session cannot be stored, the agent continues, says so once, and writes what it kept when storage is back",
  run: (size) => findingOf([injected, places], size),
};
