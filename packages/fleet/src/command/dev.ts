import { existsSync, mkdirSync, readFileSync, unwatchFile, watchFile, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Authority } from "../identity/authority.ts";
import { readPrivate, systemClock, writePrivate } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import { connected } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import { readSigningKey } from "../policy/key.ts";
import { readSource, SOURCE } from "../policy/source.ts";
import { type NatsServer, startNats } from "../server/nats.ts";
import { type Role, readCreds } from "../sign/creds.ts";
import { publishSource } from "../store/publish.ts";
import { trustedRoot } from "../store/trusted.ts";
import { CONCURRENCY } from "../work/worker.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";
import { newestRoot, newRoot, putRoots } from "./root.ts";
import { serve } from "./serve.ts";

const FLEET = "dev";
const CHANNEL = "stable";
const PORT = 4222;

/** `fleet dev [--port]`: runs a whole fleet on this machine to try it: a server on loopback, a worker and a guard. */
export async function devFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const folder = join(io.hooklineHome, "fleet-dev");
  const authority = existsSync(join(folder, "fleet.json"))
    ? Authority.open(folder)
    : await Authority.create(folder, FLEET);
  const files = writeSamples(folder);
  const port = portOf(args);
  // Machines are enrolled before the server reads its configuration: reading it again would close connections.
  const creds = await enrolled(authority, "dev-agent", "agent");
  const worker = await enrolled(authority, "dev-worker", "worker");
  const publisher = await enrolled(authority, "dev-publisher", "publisher");
  const auditor = await enrolled(authority, "dev-auditor", "auditor");
  const approver = await enrolled(authority, "dev-approver", "approver");
  const { pin: root, place: keys } = newestRoot(authority) ?? newRoot(authority);
  const server = await startNats(join(folder, "server.conf"), { port, env: io.env });
  const trust = join(folder, "trust.conf");
  watchFile(trust, { interval: 1000 }, () => server.reload());
  try {
    const url = `nats://127.0.0.1:${server.port}`;
    await putRoots(authority, url);
    const key = join(keys, "policy.pem");
    await published(files.bundle, { url, creds: publisher.text, root, key });
    const serving = await serve(
      {
        membership: {
          v: 1,
          url,
          fleet: FLEET,
          machine: "dev-worker",
          channel: CHANNEL,
          root,
          creds: readCreds(worker.text),
          folder: join(folder, "worker"),
          spool: join(folder, "worker/spool"),
          from: folder,
        },
        concurrency: CONCURRENCY,
        version: io.version,
      },
      { say: (line) => io.err(`${line}\n`), asked: (line) => io.err(`${line}\n`) },
    );
    for (const [role, { path }] of Object.entries({ publisher, auditor, approver }))
      writePrivate(
        join(folder, `${role}.env`),
        Object.entries({ URL: url, CREDS: path, ROOT: root })
          .map(([name, value]) => `export HOOKLINE_FLEET_${name}='${value}'\n`)
          .join(""),
      );
    const as = (role: string, command: string): string => `  (. ${join(folder, `${role}.env`)}; hookline ${command})`;
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
        `  hookline fleet join ${url} --creds ${creds.path} --root ${join(keys, "root.json")}`,
        "",
        "Let a scripted model try to push:",
        "",
        `  hookline -p --script ${files.script} "push it"`,
        "",
        "Publish the hooks again after a change:",
        "",
        as("publisher", `fleet publish ${files.bundle} --key ${key}`),
        "",
        "See what was decided:",
        "",
        as("auditor", "inspect --fleet"),
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

/**
 * Returns a machine's creds file in the folder. Enrols the machine only if the file is missing or no longer valid, so
 * that a joined machine can still connect after a restart of the fleet.
 */
async function enrolled(
  authority: Authority,
  name: string,
  role: Role,
): Promise<{ readonly path: string; readonly text: string }> {
  const path = join(authority.folder, `${name}.creds`);
  const known = authority.machines[name];
  if (known !== undefined) {
    const text = credsIn(path, known.key);
    if (text !== undefined) return { path, text };
    await authority.revoke(name);
  }
  const text = await authority.enroll(name, role);
  writePrivate(path, text);
  return { path, text };
}

/** Returns the text of a creds file if it holds the enrolled key. */
function credsIn(path: string, key: string): string | undefined {
  const read = readPrivate(path);
  if (read.state !== "read") return undefined;
  try {
    return readCreds(read.text).key.public === key ? read.text : undefined;
  } catch {
    return undefined;
  }
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

/** Writes the files to try the fleet with, except those that a person has changed. */
function writeSamples(folder: string): { readonly bundle: string; readonly script: string } {
  const bundle = join(folder, "bundle");
  const script = join(folder, "push.yaml");
  const manifest = {
    v: 1,
    fleet: FLEET,
    channel: CHANNEL,
    hooks: [
      { file: "extensions/no-push.ts", where: "worker", events: ["tool.before"], tools: ["bash"], idempotent: true },
    ],
  };
  mkdirSync(join(bundle, "extensions"), { recursive: true, mode: 0o700 });
  const write = (path: string, text: string): void => {
    if (!existsSync(path)) writeFileSync(path, text, { mode: 0o600 });
  };
  write(join(bundle, SOURCE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  write(join(bundle, "extensions/no-push.ts"), GUARD);
  write(script, SCRIPT);
  return { bundle, script };
}

async function published(
  folder: string,
  {
    url,
    creds: text,
    root: pin,
    key,
  }: { readonly url: string; readonly creds: string; readonly root: string; readonly key: string },
): Promise<void> {
  const creds = readCreds(text);
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000 });
  try {
    const bus = await busOf(await connected(link, url));
    const root = await trustedRoot(bus, FLEET, pin);
    const signer = readSigningKey(readFileSync(key, "utf8"));
    await publishSource(readSource(folder), {
      bus,
      root,
      channel: CHANNEL,
      key: signer,
      now: Date.now(),
      daysValid: 90,
    });
  } finally {
    link.close();
  }
}

function portOf({ flags }: FleetArgs): number {
  const text = flags["port"];
  if (text === undefined) return PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new FleetUsage(`--port is not a port: ${String(text)}`);
  return port;
}
