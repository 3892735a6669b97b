import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRuntime, type Session } from "@hookline/runtime";
import { systemClock } from "@hookline/runtime/internal";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Bundle } from "../../src/bundle/bundle.ts";
import { folderBundle } from "../../src/bundle/folder.ts";
import { serve } from "../../src/command/serve.ts";
import { Authority } from "../../src/identity/authority.ts";
import { fleetDialect } from "../../src/lane/dialect.ts";
import { namesOf } from "../../src/name/subjects.ts";
import { membership, writeMembership } from "../../src/place/joined.ts";
import { freePort, type NatsServer, natsProgram, startNats } from "../../src/server/nats.ts";
import { type Creds, type Role, readCreds } from "../../src/sign/creds.ts";

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

/** A fleet on this machine: a real server, with identities and folders of its own. */
export class TestFleet {
  readonly place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
  readonly names = namesOf("acme");
  readonly authority: Authority;
  readonly port: number;
  readonly #creds = new Map<string, Creds>();
  readonly #texts = new Map<string, string>();
  readonly #closing: (() => unknown)[] = [];
  server: NatsServer | undefined;

  private constructor(place: string, authority: Authority, port: number) {
    this.place = place;
    this.authority = authority;
    this.port = port;
  }

  static async start(): Promise<TestFleet> {
    const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
    const authority = await Authority.create(join(place, "fleet"), "acme");
    const fleet = new TestFleet(place, authority, await freePort());
    await fleet.startServer();
    return fleet;
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

  /** A bundle with these files and rules, in a folder of its own. */
  bundle(rules: readonly object[] = [RULE], files: Readonly<Record<string, string>> = { [RULE.file]: GUARD }): Bundle {
    const folder = mkdtempSync(join(this.place, "bundle-"));
    const manifest = { v: 1, fleet: "acme", channel: "stable", version: 1, hooks: rules };
    for (const [path, text] of Object.entries({ ...files, "manifest.json": JSON.stringify(manifest) })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folderBundle(folder);
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

  /** A worker that serves a bundle; gives what ends it. */
  async worker(name: string, bundle: Bundle, tell?: (line: string) => void): Promise<() => Promise<void>> {
    const creds = await this.creds(name, "worker");
    const serving = await serve(
      { creds, url: this.url, bundle, concurrency: 4, version: "0.0.0-test" },
      { err: () => {}, ...(tell !== undefined && { tell }) },
    );
    let isOpen = true;
    const end = async (): Promise<void> => {
      if (isOpen) await serving.close();
      isOpen = false;
    };
    this.#closing.push(end);
    return end;
  }

  /** The home of a machine that has joined with this bundle. */
  async home(machine: string, bundle: Bundle): Promise<string> {
    const home = mkdtempSync(join(this.place, "home-"));
    await this.creds(machine, "agent");
    const joined = { v: 1, url: this.url, fleet: "acme", machine, channel: "stable", root: bundle.digest } as const;
    writeMembership(home, joined, this.text(machine));
    cpSync(bundle.folder, join(home, "fleet/bundles", bundle.digest), { recursive: true });
    return home;
  }

  /** A session of an agent in the fleet. */
  async agent(
    machine: string,
    bundle: Bundle,
    limits: { readonly connectMs?: number; readonly deadlineMs?: number } = {},
  ): Promise<AgentSession> {
    const home = await this.home(machine, bundle);
    const member = membership(home, {});
    if (member === undefined) throw new Error("it has not joined");
    const problems: string[] = [];
    const runtime = createRuntime({
      dialects: [fleetDialect({ membership: member, version: "0.0.0-test", ...limits })],
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
      async call(command) {
        const toolCallId = `c${++calls}`;
        const outcome = await session.emit("tool.before", { toolCallId, tool: "bash", args: { command } });
        return { decision: outcome.answer.decision, reason: outcome.answer.reason ?? "", outcome };
      },
    };
  }

  async stop(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
    await this.server?.stop();
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** An agent's session, as far as tests ask it. */
export interface AgentSession {
  readonly session: Session;
  close(): Promise<void>;
  readonly home: string;
  /** What was reported. */
  readonly problems: string[];
  /** Judges one shell command. */
  call(command: string): Promise<{
    readonly decision: string | undefined;
    readonly reason: string;
    readonly outcome: Awaited<ReturnType<Session["emit"]>>;
  }>;
}
