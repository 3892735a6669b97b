import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { WORKERS } from "../../packages/fleet/src/name/subjects.ts";
import type { Bundle } from "../../packages/fleet/src/policy/bundle.ts";
import type { Question } from "../../packages/fleet/src/wire/question.ts";
import { type AgentSession, RULE, TestFleet } from "../../packages/fleet/test/support/fleet.ts";
import { notedIn, notingGuard } from "../../packages/fleet/test/support/noting.ts";
import type { Dice } from "../stage/dice.ts";

const WORKER_NAMES = ["worker-1", "worker-2"] as const;

/** A fleet whose server and workers are programs that can be killed, stopped and started again. */
export class Stage implements AsyncDisposable {
  readonly fleet: TestFleet;
  readonly bundle: Bundle;
  readonly #notes: string;
  readonly #workers = new Map<string, ChildProcess>();
  #liar: Awaited<ReturnType<TestFleet["connect"]>> | undefined;
  /** Ends the worker that serves another bundle. */
  #other: (() => Promise<void>) | undefined;
  #isServerStopped = false;

  private constructor(fleet: TestFleet) {
    this.fleet = fleet;
    this.#notes = join(fleet.place, "judged");
    writeFileSync(this.#notes, "");
    this.bundle = fleet.bundle([{ ...RULE, idempotent: true }], { [RULE.file]: notingGuard(this.#notes) });
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await TestFleet.start());
    for (const name of [...WORKER_NAMES, "liar"]) {
      await stage.fleet.creds(name, "worker");
      writeFileSync(stage.#credsOf(name), stage.fleet.text(name), { mode: 0o600 });
    }
    await stage.heal();
    return stage;
  }

  /** Starts an agent that has joined the fleet and has short time limits. */
  agent(): Promise<AgentSession> {
    return this.fleet.agent("laptop-1", this.bundle, { connectMs: 100, deadlineMs: 400 });
  }

  /** Returns the commands that the guard has allowed. */
  judged(): ReadonlySet<string> {
    return notedIn(this.#notes);
  }

  /** All faults, by name. */
  readonly faults: Readonly<Record<string, (dice: Dice) => unknown>> = {
    "server killed": () => this.fleet.killServer(),
    "server stopped": () => this.#signalServer("SIGSTOP"),
    "server back": () => this.#serve(),
    "worker killed": (dice) => this.#kill(dice.pick(WORKER_NAMES)),
    "workers killed": () => this.#kill(...WORKER_NAMES),
    "workers stopped": () => this.#signal("SIGSTOP"),
    "workers go on": () => this.#signal("SIGCONT"),
    "wrong answer": (dice) => this.#lie(dice),
    "another bundle": async () => {
      this.#kill(...WORKER_NAMES);
      if (this.fleet.server !== undefined && !this.#isServerStopped)
        this.#other ??= await this.fleet.worker("other", this.fleet.bundle([RULE]));
    },
  };

  /** Ends all faults: the server runs, both workers answer, no worker lies. */
  async heal(): Promise<void> {
    await this.#serve();
    await this.#liar?.close();
    this.#liar = undefined;
    await this.#other?.();
    this.#other = undefined;
    this.#signal("SIGCONT");
    const gone = WORKER_NAMES.filter((name) => this.#workers.get(name)?.exitCode !== null);
    await Promise.all(gone.map((name) => this.#start(name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signalServer("SIGCONT");
    this.#signal("SIGKILL");
    await this.#liar?.close();
    await this.fleet.stop();
  }

  /** The file of the fleet's root. */
  get #root(): string {
    return join(this.fleet.authority.folder, "policy/1/root.json");
  }

  #credsOf(name: string): string {
    return join(this.fleet.place, `${name}.creds`);
  }

  async #start(name: string): Promise<void> {
    const host = join(import.meta.dirname, "worker-host.ts");
    const { manifest, folder } = this.bundle;
    const about = [this.fleet.url, this.#credsOf(name), dirname(folder), manifest.channel, this.#root];
    const args = ["--conditions=hookline-source", host, ...about];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#workers.set(name, child);
    await Promise.race([
      once(child.stdout as NonNullable<typeof child.stdout>, "data"),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
    ]);
  }

  /** Kills workers, and forgets them at once: their exit is reported later. */
  #kill(...names: readonly string[]): void {
    for (const name of names) {
      this.#workers.get(name)?.kill("SIGKILL");
      this.#workers.delete(name);
    }
  }

  #signal(signal: NodeJS.Signals): void {
    for (const child of this.#workers.values()) child.kill(signal);
  }

  #signalServer(signal: "SIGSTOP" | "SIGCONT"): void {
    const pid = this.fleet.server?.pid;
    if (pid !== undefined) process.kill(pid, signal);
    this.#isServerStopped = pid !== undefined && signal === "SIGSTOP";
  }

  async #serve(): Promise<void> {
    if (this.fleet.server === undefined) await this.fleet.startServer();
    else this.#signalServer("SIGCONT");
  }

  /** Adds a worker to the queue that always answers wrongly. */
  async #lie(dice: Dice): Promise<void> {
    if (this.#liar !== undefined || this.fleet.server === undefined || this.#isServerStopped) return;
    const connection = await this.fleet.connect(await this.fleet.creds("liar", "worker"));
    this.#liar = connection;
    connection.subscribe(this.fleet.names.ask(this.bundle.digest, "*"), {
      queue: WORKERS,
      callback: (_, message) => {
        const said = dice.pick(LIES)(message.json() as Question);
        if (said !== undefined) message.respond(typeof said === "string" ? said : JSON.stringify(said));
      },
    });
    await connection.flush();
  }
}

const honest = ({ id, bundle }: Question): object => ({
  v: 1,
  id,
  worker: "liar",
  bundle,
  answer: {},
  edits: [],
  hooks: [],
  ms: 1,
});

/** Answers that must not count as a judgement. */
const LIES: readonly ((question: Question) => unknown)[] = [
  () => undefined,
  () => "",
  () => "{}",
  () => "allow",
  (question) => ({ ...honest(question), id: "AAAAAAAAAAAAAAAAAAAAAA" }),
  (question) => ({ ...honest(question), bundle: "0".repeat(64) }),
  (question) => ({ ...honest(question), v: 2 }),
  (question) => ({ ...honest(question), allow: true }),
  (question) => ({ ...honest(question), answer: { decision: "allow", sure: true } }),
  (question) => ({ ...honest(question), answer: { decision: "yes" } }),
  (question) => ({ ...honest(question), answer: [] }),
  (question) => ({ ...honest(question), hooks: undefined }),
  (question) => JSON.stringify(honest(question)).slice(0, -1),
  (question) => JSON.stringify(honest(question)).replace('"ms":1', '"ms":1,"ms":2'),
  ({ id }) => ({ v: 1, id, error: { code: "bundle", message: "another one" } }),
];
