import { existsSync, mkdirSync, unwatchFile, watchFile, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "@hookline/runtime/internal";
import { folderBundle, MANIFEST } from "../bundle/folder.ts";
import { Authority } from "../identity/authority.ts";
import { makePresence } from "../presence/bucket.ts";
import { freePort, type NatsServer, startNats } from "../server/nats.ts";
import { readCreds } from "../sign/creds.ts";
import { CONCURRENCY } from "../work/worker.ts";
import { asAdministrator } from "./connected.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";
import { serve } from "./serve.ts";

const FLEET = "dev";
const PORT = 4222;

/** `fleet dev [--port]`: a whole fleet on this machine, to try it: a server on loopback, a worker and a guard. */
export async function devFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const folder = join(io.hooklineHome, "fleet-dev");
  const authority = existsSync(join(folder, "fleet.json"))
    ? Authority.open(folder)
    : await Authority.create(folder, FLEET);
  const files = writeSamples(folder);
  const port = await portOf(args);
  const server = await startNats(join(folder, "server.conf"), { port, env: io.env });
  const trust = join(folder, "trust.conf");
  watchFile(trust, { interval: 1000 }, () => server.reload());
  try {
    const url = `nats://127.0.0.1:${port}`;
    // Before the configuration is read again: that closes connections.
    await asAdministrator(authority, url, (connection) => makePresence(connection, FLEET));
    const creds = await enrolled(authority, "dev-agent", "agent");
    const worker = await enrolled(authority, "dev-worker", "worker");
    server.reload();
    const bundle = folderBundle(files.bundle);
    const serving = await serve(
      { creds: readCreds(worker.text), url, bundle, concurrency: CONCURRENCY, version: io.version },
      { err: io.err, tell: (line) => io.err(`${line}\n`) },
    );
    const root = bundle.digest;
    say(
      args,
      io,
      {
        url,
        folder,
        creds: creds.path,
        bundle: files.bundle,
        root,
        script: files.script,
        pid: process.pid,
        server: server.pid,
      },
      [
        `The fleet ${FLEET} runs at ${url}, with one worker for the hooks in`,
        `${files.bundle}`,
        "",
        "Make this machine part of it, in another terminal:",
        "",
        `  hookline fleet join ${url} --creds ${creds.path} --bundle ${files.bundle} --root ${root}`,
        "",
        "Let a scripted model try to push:",
        "",
        `  hookline -p --script ${files.script} "push it"`,
        "",
        "`hookline fleet leave` takes the machine out again. Ctrl+C ends the server and the worker.",
      ],
    );
    const isGone = await Promise.race([io.ended().then(() => false), server.ended.then(() => true)]);
    await serving.close();
    if (isGone) throw new Error("nats-server has ended");
    return 0;
  } finally {
    unwatchFile(trust);
    await stopped(server);
  }
}

async function stopped(server: NatsServer): Promise<void> {
  await server.stop();
}

/** A machine's creds file in the folder; it is enrolled when there is none yet. */
async function enrolled(
  authority: Authority,
  name: string,
  role: "agent" | "worker",
): Promise<{ readonly path: string; readonly text: string }> {
  const path = join(authority.folder, `${name}.creds`);
  if (authority.machines[name] !== undefined) await authority.revoke(name);
  const text = await authority.enroll(name, role);
  writePrivate(path, text);
  return { path, text };
}

const GUARD = [
  "// Runs in the worker, for every agent of the fleet.",
  "export default (pi: any) =>",
  '  pi.on("tool_call", (event: any) => {',
  '    if (/\\bgit\\s+push\\b/.test(event.input.command ?? "")) return { block: true, reason: "pushing is for people" };',
  "  });",
  "",
].join("\n");

const SCRIPT = `replies:
  - toolCalls: [{ name: bash, arguments: { command: git push } }]
  - text: done
`;

/** The files to try it with, unless a person has changed them. */
function writeSamples(folder: string): { readonly bundle: string; readonly script: string } {
  const bundle = join(folder, "bundle");
  const script = join(folder, "push.yaml");
  const manifest = {
    v: 1,
    fleet: FLEET,
    channel: "stable",
    version: 1,
    hooks: [{ file: "extensions/no-push.ts", where: "worker", events: ["tool.before"], idempotent: true }],
  };
  mkdirSync(join(bundle, "extensions"), { recursive: true, mode: 0o700 });
  const write = (path: string, text: string): void => {
    if (!existsSync(path)) writeFileSync(path, text, { mode: 0o600 });
  };
  write(join(bundle, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  write(join(bundle, "extensions/no-push.ts"), GUARD);
  write(script, SCRIPT);
  return { bundle, script };
}

async function portOf({ flags }: FleetArgs): Promise<number> {
  const text = flags["port"];
  if (text === undefined) return PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new FleetUsage(`--port is no port: ${String(text)}`);
  return port === 0 ? freePort() : port;
}
