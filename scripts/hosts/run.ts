import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { peerFolder } from "../../bench/peer.ts";
import type { Moved, NewName } from "../../packages/bridge/src/daemon/drift.ts";
import { startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { root } from "../step.ts";
import { ACTS, PROMPT, type Seen, sourceOf, toolsIn, triesOf } from "./acts.ts";
import { type Cell, cellsOf, type Report } from "./cells.ts";
import { WORDS, writeHooks } from "./guards.ts";
import { Play } from "./play.ts";
import { NET, NO_NET, type RealHost } from "./real.ts";

/** The result of one run of a host with a model. */
export interface HostRun {
  readonly host: string;
  readonly version: string;
  readonly model: string;
  readonly seconds: number;
  readonly cells: readonly Cell[];
  /** The tools that the model was offered, with their arguments. */
  readonly offered: Readonly<Record<string, readonly string[]>>;
  /** Names that the bridge's daemon reported as new. */
  readonly moved: readonly NewName[];
  /** Failures that are not in the cells. */
  readonly problems: readonly string[];
}

/**
 * How long a program may make no progress before it is ended, in ms. A host's progress is its requests to the model,
 * which are slow on a busy machine.
 */
const QUIET_MS = 180_000;

/**
 * Installs the bridge in a host with an empty home folder, runs the real program once with a model that does every act
 * of the host, and removes the installation.
 */
export async function runHost(
  host: RealHost,
  { version, model }: { readonly version: string; readonly model: string },
): Promise<HostRun> {
  const startMs = performance.now();
  const folder = peerFolder(host.package, version);
  const top = mkdtempSync(join(tmpdir(), `hookline-host-${host.name}-`));
  const [home, project] = [join(top, "home"), join(top, "project")];
  const play = new Play(host, (name) => ({ path: join(project, name), page: `${server.url}/pages/${name}` }));
  // Hosts also request other things, such as lists of models, and pages.
  const server = await startLoopback((request) =>
    isTurn(request) ? play.reply(request.body) : { text: "ok", headers: { "content-type": "text/plain" } },
  );
  const problems: string[] = [];
  const own = host.env(server.url, model);
  const env = { HOME: home, PATH: `${join(top, "bin")}:${process.env["PATH"]}`, TERM: "xterm", LANG: "C.UTF-8" };
  const hookline = (...args: readonly string[]) =>
    ran(process.execPath, [join(root, "packages/hookline/bin/hookline.js"), ...args], {
      cwd: project,
      env: { ...env, ...NET, ...own },
    });
  try {
    lay(home, host.files(server.url, model));
    lay(project, projectFiles());
    mkdirSync(join(top, "bin"));
    writeHooks(home);
    if (host.program !== undefined) {
      const path = join(top, "bin", host.program.name);
      writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${host.program.script(folder)} "$@"\n`);
      chmodSync(path, 0o755);
    }
    const installed = await hookline("bridge", "install", host.name, "--yes", ...host.install);
    if (installed.code !== 0) problems.push(`bridge install ended with ${installed.code}: ${installed.err}`);
    const again = await hookline("bridge", "install", host.name, "--yes", "--json");
    if (!again.out.includes('"action": "none"')) problems.push(`a second installation changed something: ${again.out}`);
    if (again.out.includes('"needs"'))
      problems.push(`the first installation left out what is needed: ${installed.err}`);
    const report = JSON.parse((await hookline("bridge", "report", host.name, "--json")).out) as Report;
    const { code, out, err, isHung } = await ran(
      host.engine?.(folder) ?? process.execPath,
      host.argv(folder, PROMPT, model),
      { cwd: project, env: { ...env, ...NO_NET, ...own }, progress: () => server.requests.length },
    );
    if (isHung) problems.push(`asked the model nothing for ${QUIET_MS / 1000} s and was ended, so it has no cells`);
    else if (code !== 0) problems.push(`ended with ${code}: ${err.slice(-1000)}`);
    // A daemon writes its counters when it ends.
    await hookline("bridge", "stop");
    const status = await hookline("bridge", "status", host.name, "--json");
    const sent = server.requests.filter(isTurn).map(({ body }) => JSON.stringify(body ?? ""));
    const others = server.requests.flatMap((one) =>
      isTurn(one) ? [] : [`${one.path} ${JSON.stringify(one.body ?? "")}`],
    );
    const seen: Seen = { sent, others, file: (name) => textOf(join(project, name)) };
    const cells = isHung ? [] : cellsOf({ home, report, play, seen, told: `${out}${err}`, status: status.out });
    const removed = await hookline("bridge", "remove", host.name, "--yes");
    if (removed.code !== 0) problems.push(`bridge remove ended with ${removed.code}: ${removed.err}`);
    const seconds = Math.round((performance.now() - startMs) / 100) / 10;
    const offered = Object.fromEntries(server.requests.filter(isTurn).flatMap(({ body }) => [...toolsIn(body)]));
    const [{ moved }] = (JSON.parse(status.out) as { readonly hosts: [{ readonly moved: readonly Moved[] }] }).hosts;
    const names = moved.flatMap((one) => one.names);
    return { host: host.name, version, model, seconds, cells, offered, moved: names, problems };
  } finally {
    await hookline("bridge", "stop");
    await server.close();
    if (process.env["HOOKLINE_KEEP"] === undefined) rmSync(top, { recursive: true, force: true, maxRetries: 3 });
    else process.stderr.write(`kept: ${top}\n`);
  }
}

/** Returns the files of the project: those that acts change or read, and one with a secret. */
function projectFiles(): Readonly<Record<string, string>> {
  const tries = ACTS.flatMap(triesOf);
  return {
    "secret.txt": `a ${WORDS.secret} word\n`,
    ...Object.fromEntries(tries.flatMap(({ act, name }) => (act.before ? [[name, act.before(name)]] : []))),
    ...Object.fromEntries(
      tries.flatMap(({ act, name }) => (act.name === "patch-move-to" ? [[sourceOf(name), "before\n"]] : [])),
    ),
  };
}

/** Whether a request is a turn of the model. */
function isTurn({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && /\/(chat\/completions|responses|messages)$|:streamGenerateContent/.test(path);
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function lay(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Whether the program was ended because it made no progress. */
  readonly isHung: boolean;
}

interface RunParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns a number that changes while the program works; by default the length of its output. */
  progress?(): number;
}

/** Runs a script with its engine to its end, in its own process group, which is killed then. */
function ran(engine: string, argv: readonly string[], { cwd, env, progress }: RunParts): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = spawn(engine, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece));
  let [isHung, last, lastMs] = [false, -1, performance.now()];
  const look = setInterval(() => {
    const now = progress?.() ?? out.length + err.length;
    if (now !== last) [last, lastMs] = [now, performance.now()];
    isHung ||= performance.now() - lastMs > QUIET_MS;
    if (!isHung) return;
    clearInterval(look);
    process.kill(-(child.pid as number), "SIGKILL");
  }, 1000);
  child.on("close", (code) => {
    clearInterval(look);
    resolve({ code, out, err, isHung });
  });
  return promise;
}
