import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RecordingWriter } from "@hookline/runtime/past";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import type { Sources, Summary } from "../../src/inspect/api.ts";
import { Opener } from "../inspect/opener.ts";
import { moment, session } from "../inspect/recorded.ts";
import { Workplace } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";
import { has } from "../support/seeds.ts";

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));

/** A program that serves until it is ended. */
interface Serving {
  readonly child: ChildProcess;
  /** Returns its output so far. */
  out(): string;
  /** Resolves when that has a text; throws when the program ends without it. */
  says(text: string): Promise<string>;
  readonly code: Promise<number | null>;
}

let place: Workplace;
const running = new Set<Serving>();
beforeAll(() => {
  place = new Workplace();
  place.write(
    "slow.yaml",
    'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "sleep 600" } }]\n  - text: Done.\n',
  );
  recording("11111111-aaaa", place.project, 300);
  recording("11111111-bbbb", place.project, 200);
  recording("22222222-cccc", "/elsewhere", 100);
  place.write("text.jsonl", "no source\n");
});
afterAll(async () => {
  for (const { child, code } of running) {
    child.kill("SIGKILL");
    await code;
  }
  place.remove();
});

/** A recording of the session, last changed so many seconds ago. */
function recording(id: string, cwd: string, ago: number): void {
  let text = "";
  const header = { session: id, cwd, hookline: "0", level: "all" as const, t: 1 };
  const writer = new RecordingWriter({ write: (line) => void (text += line) }, header);
  for (const one of [...session(11), moment("session.end")]) writer.moment({ ...one, scene: { cwd } });
  writer.end();
  const seconds = Date.now() / 1000 - ago;
  utimesSync(place.write(`~/.hookline/recordings/${id}.jsonl`, text), seconds, seconds);
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Serving {
  const child = spawn(program, args, {
    cwd: place.project,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...CHILD_ENV, HOME: place.home, ...env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const serving: Serving = {
    child,
    out: () => text,
    async says(wanted) {
      while (!text.includes(wanted))
        await Promise.race([
          new Promise((resolve) => child.stdout.once("data", resolve)),
          code.then(() => Promise.reject(new Error(`It has ended: ${text}`))),
        ]);
      return text;
    },
    code,
  };
  running.add(serving);
  return serving;
}

/** Whether a recording was begun besides those that were made up. */
function isRecording(): boolean {
  const folder = join(place.home, ".hookline/recordings");
  const begun = readdirSync(folder).filter((name) => name.endsWith(".jsonl") && !/^(1{8}|2{8})-/.test(name));
  return begun.some((name) => readFileSync(join(folder, name), "utf8").includes("\n"));
}

const inspect = (...args: readonly string[]): Serving => start(process.execPath, [bin, "inspect", ...args]);

async function ask<T>(port: number, token: string, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`http://127.0.0.1:${port}/api/${path}`, { headers })).json() as Promise<T>;
}

/** Whether somebody answers at an address. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}

describe("hookline inspect", () => {
  test("lists this folder's sessions, says on one line of JSON where, and serves until it is interrupted", async () => {
    const agent = start(process.execPath, [
      ...[bin, "--trust-project", "--record", "--script", "slow.yaml", "-p", "go"],
    ]);
    agent.child.stdin?.end();
    await expect.poll(isRecording).toBe(true);
    const serving = inspect("--json");
    const said = await serving.says("\n");
    const { v, url, port, token, pid, ...more } = JSON.parse(said);
    expect(more).toEqual({});
    expect([v, pid, url]).toEqual([1, serving.child.pid, `http://127.0.0.1:${port}/#t=${token}`]);
    expect(token).toMatch(/^[\w-]{43}$/);
    const { open, sources } = await ask<Sources>(port, token, "sources");
    expect(open).toBeUndefined();
    // The newest first, and none of another folder.
    expect(sources.map(({ session: id, live }) => [id?.slice(0, 13), live])).toEqual([
      [expect.not.stringContaining("-aaaa"), true],
      ["11111111-bbbb", false],
      ["11111111-aaaa", false],
    ]);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/sources`)).status).toBe(401);
    const others = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
    for (const host of others.filter((address) => !address.startsWith("127.")))
      expect([host, await answers(host, port)]).toEqual([host, false]);
    expect(await answers("127.0.0.1", port)).toBe(true);
    serving.child.kill("SIGINT");
    expect([await serving.code, serving.out()]).toEqual([0, said]);
    agent.child.kill("SIGTERM");
    expect(await agent.code).toBe(143);
  });

  test("opens a session by the beginning of its id on a port of choice, and says when that is taken", async () => {
    const port = await freePort();
    const serving = inspect("11111111-b", "--port", String(port));
    const said = await serving.says("Ctrl+C ends the inspector");
    const token = new RegExp(`http://127\\.0\\.0\\.1:${port}/#t=([\\w-]{43})`).exec(said)?.[1] ?? "";
    const { open } = await ask<Sources>(port, token, "sources");
    const { source, moments } = await ask<Summary>(port, token, `sources/${open}/summary`);
    expect([source.session, moments]).toEqual(["11111111-bbbb", 12]);
    const taken = await place.run(["inspect", "--port", String(port)]);
    expect([taken.code, taken.out]).toEqual([2, ""]);
    expect(taken.err).toMatch(/--port cannot be used: .*EADDRINUSE/);
    expect(taken.err).toContain("Give another port");
    serving.child.kill("SIGTERM");
    expect(await serving.code).toBe(0);
  });

  test("opens a file, which may be of another folder", async () => {
    const serving = inspect(join(place.home, ".hookline/recordings/22222222-cccc.jsonl"), "--json", "--no-open");
    const { port, token } = JSON.parse(await serving.says("\n"));
    const { open, sources } = await ask<Sources>(port, token, "sources");
    expect(sources.find(({ id }) => id === open)).toMatchObject({ session: "22222222-cccc", cwd: "/elsewhere" });
    serving.child.kill("SIGINT");
    expect(await serving.code).toBe(0);
  });

  test("exports a whole session or a part of it into a file of its owner's, and tells how much", async () => {
    // A file that was there is not left open to others.
    const path = place.write("page.html", "before");
    const part = await place.run([
      "inspect",
      "11111111-b",
      "--export",
      "page.html",
      "--from",
      "2",
      "--to",
      "5",
      "--json",
    ]);
    expect([part.code, part.err]).toEqual([0, ""]);
    const { bytes, ...told } = JSON.parse(part.out);
    expect(told).toEqual({ v: 1, file: path, moments: 4 });
    expect(statSync(path)).toMatchObject({ size: bytes });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const whole = await place.run(["inspect", "11111111-b", "--export", "page.html"]);
    expect([whole.code, whole.err]).toEqual([0, ""]);
    expect(whole.out).toContain("page.html shows 12 moments");
    expect(readFileSync(path, "utf8")).toContain("<!doctype html>");
  });

  test("says what is wrong with a word or an option, and what to do, and serves nothing", async () => {
    const wrong: readonly (readonly [args: readonly string[], problem: string, remedy: string])[] = [
      [["a", "b"], 'has no use for "b"', "Usage: hookline inspect"],
      [["nobody"], "neither a file nor the beginning of a session's id", "lists the recordings"],
      [["11111111"], "begins 2 sessions' ids", "Write more of the id"],
      [["text.jsonl"], "not a recording, trace, session or replay result", "Name a file"],
      [["/dev/null"], "not a regular file", "Check"],
      [["--port", "99999"], "is not a port: 99999", "0 to 65535"],
      [["--port", "http"], "is not a port: http", "0 to 65535"],
      [["--from", "3"], "chooses which moments are exported", "--export FILE"],
      [["11111111-b", "--export", "x.html", "--from", "0"], "is not the number of a moment: 0", "count from 1"],
      [["11111111-b", "--export", "x.html", "--from", "90"], "no moments from 90", "It has 12"],
      [["11111111-b", "--export", "no/such/folder/x.html"], "cannot be written", "a folder that you may write to"],
      [["--sho"], "--sho", ""],
    ];
    const ran = await Promise.all(wrong.map(async ([args]) => place.run(["inspect", ...args])));
    for (const [at, { code, out, err }] of ran.entries()) {
      const [args, problem, remedy] = wrong[at] as (typeof wrong)[number];
      expect([args, code, out]).toEqual([args, 2, ""]);
      expect(err, args.join(" ")).toContain(problem);
      expect(err, args.join(" ")).toContain(remedy);
    }
  });

  test("exports the newest session or recording of the folder where none is named", async () => {
    const { code, out } = await place.run(["inspect", "--export", "newest.html"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("newest.html") });
  });

  test.skipIf(!has("script"))(
    "opens the browser on a terminal, with no secret on a command line; Ctrl+C ends it",
    async () => {
      const opener = new Opener();
      const command = (...args: readonly string[]): Serving =>
        start(
          "script",
          ["-qefc", ["exec", process.execPath, bin, "inspect", ...args].join(" "), "/dev/null"],
          opener.env,
        );
      const serving = command("11111111-b");
      const said = await serving.says("Ctrl+C ends the inspector");
      expect(said).toContain("The inspector opens in your browser");
      await expect.poll(() => opener.opened().length).toBe(1);
      const token = /#t=([\w-]{43})/.exec(said)?.[1] as string;
      expect(opener.opened()[0]?.args.join()).not.toContain(token);
      expect(opener.opened()[0]?.page).toContain(token);
      serving.child.stdin?.write("\u0003");
      expect(await serving.code).toBe(0);
      const quiet = command("11111111-b", "--no-open");
      expect(await quiet.says("Ctrl+C ends the inspector")).toContain(
        "Open the inspector in a browser on this machine",
      );
      quiet.child.stdin?.write("\u0003");
      expect(await quiet.code).toBe(0);
      expect(opener.opened()).toHaveLength(1);
    },
  );

  test("loads nothing of itself before it is asked for", async () => {
    const loaded = join(place.top, "loaded");
    const hooks = place.write(
      "~/loads.mjs",
      `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });
`,
    );
    const own = ownFiles();
    const loadedBy = async (args: readonly string[], isServing = false): Promise<readonly string[]> => {
      writeFileSync(loaded, "");
      const serving = start(process.execPath, ["--import", hooks, bin, ...args]);
      if (isServing) {
        await serving.says("\n");
        serving.child.kill("SIGINT");
      } else serving.child.stdin?.end();
      expect(await serving.code, serving.out()).toBe(0);
      const urls = readFileSync(loaded, "utf8").split("\n");
      return own.filter((file) => urls.some((url) => url.endsWith(`/${file}`)));
    };
    place.write("said.yaml", "replies:\n  - text: Done.\n");
    expect(own.length).toBeGreaterThan(0);
    expect(await loadedBy(["--record", "--script", "said.yaml", "-p", "go"])).toEqual([]);
    expect(await loadedBy(["hooks"])).toEqual([]);
    expect(await loadedBy(["inspect", "--json"], true)).not.toEqual([]);
  });
});

/** The built files that hold the inspector's server, told by a sentence that it alone says. */
function ownFiles(): readonly string[] {
  const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
  return readdirSync(dist).filter(
    (name) =>
      name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("Requests from other pages are refused"),
  );
}
