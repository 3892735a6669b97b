import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { root } from "../step.ts";
import { FIVE, PROJECT, replies, type Seen, writeHooks } from "./five-hooks.ts";
import { folderOf, NET, NO_NET, type RealHost } from "./real.ts";

/** What a host did with one hook, and what the report had promised. */
export interface Outcome {
  readonly host: string;
  readonly hook: string;
  readonly dialect: string;
  /** The word in `bridge report`: runs, loss or absent. */
  readonly promised: string;
  readonly works: boolean;
  /** Whether the host did what was promised. */
  readonly agrees: boolean;
}

/** The result of one run of a host. */
export interface HostRun {
  readonly host: string;
  readonly version: string;
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly string[];
}

/** Time limit for a host, in ms. */
const LIMIT_MS = 180_000;

/**
 * Installs the bridge in a host with an empty home folder, runs the real program with a model that triggers all five
 * hooks, and removes the installation.
 */
export async function runHost(host: RealHost): Promise<HostRun> {
  const folder = folderOf(host);
  const top = mkdtempSync(join(tmpdir(), `hookline-host-${host.name}-`));
  const [home, project] = [join(top, "home"), join(top, "project")];
  const script = [...replies(host.shell, host.asksAgain)];
  // Hosts also ask for lists of models and the like, which is no turn of the model.
  const server = await startLoopback((request) => (isTurn(request) ? script.shift() : undefined) ?? { text: "ok" });
  const problems: string[] = [];
  const env = { HOME: home, PATH: `${join(top, "bin")}:${process.env["PATH"]}`, TERM: "xterm", LANG: "C.UTF-8" };
  const hookline = (...args: readonly string[]) =>
    ran(process.execPath, [join(root, "packages/hookline/bin/hookline.js"), ...args], {
      cwd: project,
      env: { ...env, ...NET, ...host.env },
    });
  try {
    lay(home, host.files(server.url));
    lay(project, PROJECT);
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
    const { code, err } = await ran(host.engine?.(folder) ?? process.execPath, host.argv(folder, "Do it"), {
      cwd: project,
      env: { ...env, ...NO_NET, ...host.env, ...host.at?.(server.url) },
    });
    if (code !== 0) problems.push(`${host.name} ended with ${code}: ${err.slice(-2000)}`);
    const seen = seenIn(project, server.requests.filter(isTurn));
    const outcomes = FIVE.map(({ name, dialect, path, works }): Outcome => {
      const promised = report.hooks.find(({ source }) => source.startsWith(join(home, path)))?.state ?? "not reported";
      const did = works(seen);
      return { host: host.name, hook: name, dialect, promised, works: did, agrees: did === (promised !== "absent") };
    });
    const removed = await hookline("bridge", "remove", host.name, "--yes");
    if (removed.code !== 0) problems.push(`bridge remove ended with ${removed.code}: ${removed.err}`);
    return { host: host.name, version: host.version, outcomes, problems };
  } finally {
    await hookline("bridge", "stop");
    await server.close();
    if (process.env["HOOKLINE_KEEP"] === undefined) rmSync(top, { recursive: true, force: true, maxRetries: 3 });
    else process.stderr.write(`kept: ${top}\n`);
  }
}

interface Report {
  readonly hooks: readonly { readonly source: string; readonly state: string }[];
}

/** Whether a request is one to the model. */
function isTurn({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && /\/(chat\/completions|responses|messages)$|:streamGenerateContent/.test(path);
}

function seenIn(project: string, requests: readonly { readonly body: unknown }[]): Seen {
  return {
    sent: requests.map(({ body }) => JSON.stringify(body ?? "")),
    file: (name) => (existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : ""),
  };
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
}

/** Runs a script with its engine to its end, in its own process group, which ends with it. */
function ran(
  engine: string,
  argv: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = spawn(engine, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece));
  const late = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), LIMIT_MS);
  child.on("close", (code) => {
    clearTimeout(late);
    resolve({ code, out, err });
  });
  return promise;
}
