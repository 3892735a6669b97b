import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClientHere, clientFolder, TARGETS } from "./bridge-client.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly files: readonly string[];
}

/**
 * Checks the bridge's client: this system's in the agent's package, and the other systems' in packages of their own.
 */
export function* useClient(
  place: string,
  hookline: string,
  version: string,
): Generator<[what: string, holds: boolean]> {
  for (const target of TARGETS) {
    const { name, os, cpu, files, ...more } = JSON.parse(
      readFileSync(join(clientFolder(target), "package.json"), "utf8"),
    ) as Manifest;
    const isFor = `${os}-${cpu}` === target && name === `@hookline/bridge-${target}`;
    yield [`${name} is for its system alone`, isFor && more.version === version && String(files) === "hookline-hook"];
  }
  if (buildClientHere() === undefined) {
    process.stdout.write("skipped  the client of this system: there is no C compiler\n");
    return;
  }
  const folder = join(place, "with-client");
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const run = (program: string, args: readonly string[], cwd = folder, input = ""): { code: number; out: string } => {
    // npm needs its configuration from the environment; hookline gets a home of its own.
    const env = program === "npm" ? process.env : { PATH: process.env["PATH"], HOME: home };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, input, encoding: "utf8" });
    if (status !== 0) process.stderr.write(stderr);
    return { code: status ?? 1, out: stdout };
  };
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", ["install", ...quiet, join(place, hookline)]);
  const script = join(folder, "node_modules/hookline/bin/hookline.js");
  run(process.execPath, [script, "bridge", "install", "codex", "--yes", "--json"]);
  const client = join(home, ".hookline/bin/hookline-hook");
  const bytes = readFileSync(client);
  yield ["`bridge install` takes the native client of the package", !bytes.subarray(0, 2).equals(Buffer.from("#!"))];
  const payload = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  const said = run(client, ["codex", "PreToolUse", "--deadline", "20000"], folder, JSON.stringify(payload));
  yield ["which starts the daemon and answers", said.code === 0 && said.out === ""];
  yield ["and the daemon ends when it is told to", run(process.execPath, [script, "bridge", "stop"]).code === 0];
}
