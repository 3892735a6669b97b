import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { openDesk } from "../../src/approval/approver.ts";
import type { Desk } from "../../src/approval/desk.ts";
import { newestRoot, newRoot, putRoots } from "../../src/command/root.ts";
import { type Serving, serve } from "../../src/command/serve.ts";
import { Authority } from "../../src/identity/authority.ts";
import { DEADLINE_MS } from "../../src/lane/asker.ts";
import { fleetDialect } from "../../src/lane/dialect.ts";
import { busOf } from "../../src/link/bus.ts";
import { connected } from "../../src/link/connected.ts";
import { namesOf } from "../../src/name/subjects.ts";
import { fleetFolder, type Membership, membership, writeMembership } from "../../src/place/joined.ts";
import { type Bundle, checkedBundle } from "../../src/policy/bundle.ts";
import { readSigningKey } from "../../src/policy/key.ts";
import { sealManifest } from "../../src/policy/manifest.ts";
import { pinnedRoot, type Root } from "../../src/policy/root.ts";
import { pinnedChain, type RootChain, writeRoots } from "../../src/policy/roots.ts";
import { firstSeen, withCurrent, writeSeen } from "../../src/policy/seen.ts";
import { readSource } from "../../src/policy/source.ts";
import { policyPlace } from "../../src/policy/take.ts";
import { type NatsServer, natsProgram, startNats } from "../../src/server/nats.ts";
import { type Creds, type Role, readCreds } from "../../src/sign/creds.ts";
import { type Published, publishSource } from "../../src/store/publish.ts";
import { HeldPort } from "./held-port.ts";
import { serveBundle, VERSION } from "./worker.ts";

/** Whether servers can be started here; tests that need one are skipped by name elsewhere. */
export const hasNats = natsProgram(process.env) !== undefined;

/** A guard that refuses pushes, and answers to other commands as they say. */
export const GUARD = `export default (pi) =>
  pi.on("tool_call", async (event) => {
    const { command = "" } = event.input;
    if (command.startsWith("slow ")) await new Promise((resolve) => setTimeout(resolve, Number(command.slice(5))));
    if (/git push/.test(command)) return { block: true, reason: "pushing is for people" };
  });
`;

/** The rule for it. */
export const RULE = { file: "extensions/guard.ts", where: "worker", events: ["tool.before"] } as const;

type Files = Readonly<Record<string, string>>;

/** Options for an agent's connection and questions. */
interface Limits {
  /** Default: as long as a question may take, so that a machine that is only slow does not count as one without a server. */
  readonly connectMs?: number;
  readonly deadlineMs?: number;
  /** The clock of the connection only. Default: the system's. */
  readonly clock?: Clock;
}

/** A fleet on this machine: a real server, with identities and folders of its own. */
export class TestFleet {
  readonly place: string;
  readonly names = namesOf("acme");
  readonly authority: Authority;
  readonly #port: HeldPort;
  readonly #creds = new Map<string, Creds>();
  readonly #texts = new Map<string, string>();
  readonly #closing: (() => unknown)[] = [];
  server: NatsServer | undefined;

  private constructor(place: string, authority: Authority, port: HeldPort) {
    this.place = place;
    this.authority = authority;
    this.#port = port;
  }

  static async start(): Promise<TestFleet> {
    const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
    const authority = await Authority.create(join(place, "fleet"), "acme");
    const fleet = new TestFleet(place, authority, await HeldPort.take());
    await fleet.startServer();
    newRoot(authority);
    await putRoots(authority, fleet.url);
    return fleet;
  }

  /** The root that its machines pin, by its SHA-256. */
  get pin(): string {
    return newestRoot(this.authority)?.pin ?? "";
  }

  /** The newest root in its folder. */
  get newestRoot(): Root {
    const { place, pin } = newestRoot(this.authority) ?? { place: "", pin: "" };
    return pinnedRoot(readFileSync(join(place, "root.json")), pin);
  }

  get roots(): RootChain {
    return pinnedChain(readFileSync(join(this.authority.folder, "policy/1/root.json")), this.pin);
  }

  get port(): number {
    return this.#port.number;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async startServer(): Promise<void> {
    this.server = await startNats(join(this.place, "fleet/server.conf"), { port: this.port, env: process.env });
  }

  /** Kills the server, as a fault does. */
  async killServer(): Promise<void> {
    await this.server?.stop("SIGKILL");
    this.server = undefined;
  }

  async creds(machine: string, role: Role): Promise<Creds> {
    const known = this.#creds.get(machine);
    if (known !== undefined) return known;
    const text = await this.authority.enroll(machine, role);
    this.#texts.set(machine, text);
    const creds = readCreds(text);
    this.#creds.set(machine, creds);
    return creds;
  }

  /** The text of somebody's creds file. */
  text(machine: string): string {
    return this.#texts.get(machine) ?? "";
  }

  /** A folder with these files and rules, to be published. */
  source(rules: readonly object[] = [RULE], files: Files = { [RULE.file]: GUARD }, more: object = {}): string {
    const folder = mkdtempSync(join(this.place, "source-"));
    for (const [path, text] of Object.entries({
      ...files,
      "manifest.json": JSON.stringify({ v: 1, hooks: rules, ...more }),
    })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  /** Publishes a folder as the next version of a channel. */
  async publish(folder: string, channel = "stable"): Promise<Published> {
    const connection = await this.connect(await this.creds("publisher", "publisher"));
    const bus = await busOf(connection);
    const published = await publishSource(readSource(folder), {
      bus,
      root: this.roots.root,
      channel,
      key: this.#policyKey,
      now: Date.now(),
      daysValid: 30,
    });
    await bus.tell(this.names.policy(channel));
    await connection.close();
    return published;
  }

  /** A bundle that nobody has published, with these files and rules. */
  bundle(
    rules: readonly object[] = [RULE],
    files: Files = { [RULE.file]: GUARD },
    more: object = {},
    channel = "stable",
  ): Bundle {
    const { choices, blobs } = readSource(this.source(rules, files, more));
    const times = { notBefore: Date.now(), expires: Date.now() + 24 * 3600_000 };
    const envelope = sealManifest({ v: 1, fleet: "acme", channel, version: 1, ...times, ...choices }, [
      this.#policyKey,
    ]);
    const place = mkdtempSync(join(this.place, "bundle-"));
    mkdirSync(join(place, "files"));
    for (const { path, sha256: hash } of choices.files) {
      mkdirSync(dirname(join(place, "files", path)), { recursive: true });
      writeFileSync(join(place, "files", path), blobs.get(hash) ?? "");
    }
    writeFileSync(join(place, "manifest.json"), envelope);
    return checkedBundle(place, { root: this.roots.root, channel });
  }

  /** A bare connection with somebody's creds, without what the package does on top. */
  async connect({ token, key, machine }: Creds): Promise<NatsConnection> {
    const connection = await connect({
      servers: `127.0.0.1:${this.port}`,
      authenticator: (nonce) => ({
        jwt: token,
        nkey: key.public,
        sig: key.sign(Buffer.from(nonce ?? "")).toString("base64url"),
      }),
      inboxPrefix: this.names.inbox(machine),
    });
    this.#closing.push(() => connection.close());
    return connection;
  }

  /** Opens the desk of an approver, once it is connected. */
  async desk(creds: Creds): Promise<Desk> {
    const { desk, link } = openDesk({ creds, url: this.url });
    this.#closing.push(() => link.close());
    await connected(link, this.url);
    return desk;
  }

  /** A worker that serves a bundle; gives what ends it. */
  async worker(name: string, bundle: Bundle, tell?: (line: string) => void): Promise<() => Promise<void>> {
    return this.#ending(await serveBundle({ creds: await this.creds(name, "worker"), url: this.url, bundle }, tell));
  }

  /** A worker that serves the newest versions of a channel. */
  async channelWorker(
    name: string,
    channel = "stable",
    { url = this.url, tell = () => {} }: { readonly url?: string; tell?(line: string): void } = {},
  ): Promise<Serving> {
    const creds = await this.creds(name, "worker");
    const folder = mkdtempSync(join(this.place, "worker-"));
    const member: Membership = {
      ...this.joined(name, channel),
      url,
      creds,
      folder,
      spool: join(folder, "spool"),
      from: folder,
    };
    const serving = await serve({ membership: member, concurrency: 4, version: VERSION }, { say: tell });
    return { ...serving, close: this.#ending(serving.close) };
  }

  /** Returns the record of a machine that has joined. */
  joined(machine: string, channel = "stable") {
    return { v: 1, url: this.url, fleet: "acme", machine, channel, root: this.pin } as const;
  }

  /** The home of a machine that has joined and has this bundle in use. */
  async home(machine: string, bundle: Bundle): Promise<string> {
    const home = mkdtempSync(join(this.place, "home-"));
    await this.creds(machine, "agent");
    writeMembership(home, this.joined(machine, bundle.manifest.channel), this.text(machine));
    const { roots, seen, bundles } = policyPlace(fleetFolder(home));
    writeRoots(roots, this.roots);
    writeSeen(seen, withCurrent(firstSeen(this.roots.root), bundle));
    cpSync(dirname(bundle.folder), join(bundles, bundle.digest), { recursive: true });
    return home;
  }

  get #policyKey() {
    return readSigningKey(readFileSync(join(this.authority.folder, "policy/1/policy.pem"), "utf8"));
  }

  /** Ends something once, at the latest when the fleet is stopped. */
  #ending(close: () => Promise<void>): () => Promise<void> {
    let isOpen = true;
    const end = async (): Promise<void> => {
      if (isOpen) await close();
      isOpen = false;
    };
    this.#closing.push(end);
    return end;
  }

  /** A session of an agent in the fleet. */
  async agent(machine: string, bundle: Bundle, limits: Limits = {}): Promise<AgentSession> {
    return this.session(await this.home(machine, bundle), limits);
  }

  /** A session of the agent with this home. */
  async session(home: string, limits: Limits = {}): Promise<AgentSession> {
    const member = membership(home, {});
    if (member === undefined) throw new Error("it has not joined");
    const problems: string[] = [];
    let version = 0;
    const uses = (manifest: { readonly version: number }): void => void (version = manifest.version);
    const runtime = createHookRuntime({
      dialects: [fleetDialect({ membership: member, version: VERSION, uses, connectMs: DEADLINE_MS, ...limits })],
      lanes: ["fleet-local"],
      home,
      hooklineHome: home,
      etc: home,
      clock: systemClock,
    });
    const session = await runtime.open({
      scene: { sessionId: "s1", cwd: home },
      onDiagnostic: ({ message }) => problems.push(message),
    });
    this.#closing.push(() => runtime.close());
    let calls = 0;
    return {
      close: () => runtime.close(),
      session,
      home,
      problems,
      version: () => version,
      async call(command) {
        const toolCallId = `c${++calls}`;
        const outcome = await session.emit("tool.before", { toolCallId, tool: "bash", args: { command } });
        return { decision: outcome.answer.decision, reason: outcome.answer.reason ?? "", outcome };
      },
    };
  }

  async stop(): Promise<void> {
    try {
      for (const close of this.#closing.reverse()) await close();
    } finally {
      await this.server?.stop();
      this.#port.release();
    }
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** An agent's session, as far as tests ask it. */
export interface AgentSession {
  readonly session: HookSession;
  close(): Promise<void>;
  readonly home: string;
  /** The reported problems. */
  readonly problems: string[];
  /** The version of the policy that it uses; 0 before there is one. */
  version(): number;
  /** Judges one shell command. */
  call(command: string): Promise<{
    readonly decision: string | undefined;
    readonly reason: string;
    readonly outcome: Awaited<ReturnType<HookSession["emit"]>>;
  }>;
}
