import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { catalog, type EventName, type Payload } from "../../../runtime/src/catalog/catalog.ts";
import type { Message } from "../../../runtime/src/catalog/message.ts";
import { approveEverything } from "../../../runtime/src/consent/consent.ts";
import type { DialectSettings, Found, Scan, Surroundings } from "../../../runtime/src/dialect/dialect.ts";
import { Background } from "../../../runtime/src/hook/background.ts";
import type { Call } from "../../../runtime/src/hook/call.ts";
import { Contributions } from "../../../runtime/src/hook/contribution.ts";
import { Instance } from "../../../runtime/src/hook/instance.ts";
import type { Scene } from "../../../runtime/src/hook/lane.ts";
import { Registry } from "../../../runtime/src/hook/registry.ts";
import type { LlmCall, LlmReport, LlmTransport } from "../../../runtime/src/port/llm.ts";
import type { ProcessTransport } from "../../../runtime/src/port/process.ts";
import { Deadlines } from "../../../runtime/src/run/deadline.ts";
import { dispatch } from "../../../runtime/src/run/dispatch.ts";
import type { Outcome } from "../../../runtime/src/run/outcome.ts";
import { privateFiles } from "../../../runtime/src/session/private-files.ts";
import { createHookRuntime } from "../../../runtime/src/session/runtime.ts";
import type { HookSession } from "../../../runtime/src/session/session.ts";
import { jcli } from "../../src/jcli/hooks/index.ts";
import type { HookContext } from "../../src/jcli/hooks/views.ts";

export const history: readonly Message[] = [{ role: "user", content: "earlier", timestamp: 1 }];
export const flatHistory = [{ role: "user", content: "earlier" }];

export const scene: Scene = {
  sessionId: "s1",
  cwd: "/project",
  model: "gpt-4o",
  messages: () => history,
  systemPrompt: () => "be kind",
};

export const call = (args: Record<string, unknown> = { command: "ls" }, tool = "bash"): Payload<"tool.before"> => ({
  toolCallId: "c1",
  tool,
  args,
});

export const result = (text: string, more: Partial<Payload<"tool.after">> = {}): Payload<"tool.after"> => ({
  ...call(),
  content: [{ type: "text", text }],
  details: { exitCode: 0 },
  isError: false,
  blocked: false,
  ...more,
});

export const request = (more: Partial<Payload<"model.context">> = {}): Payload<"model.context"> => ({
  messages: history,
  systemPrompt: "be kind",
  model: "gpt-4o",
  ...more,
});

export const stopping = (more: Partial<Payload<"agent.stop">> = {}): Payload<"agent.stop"> => ({
  prompt: "do it",
  reply: "done",
  messages: history,
  retryCount: 2,
  stopHookActive: false,
  ...more,
});

export const compacting = (
  kind: "micro" | "full" | "rolling",
  more: Partial<Payload<"compact.before">> = {},
): Payload<"compact.before"> => ({
  kind,
  trigger: "threshold",
  messages: history,
  systemPrompt: "be kind",
  messageCount: 1,
  nonSystemCount: 1,
  summary: "",
  ...more,
});

export const compacted = (kind: "micro" | "full" | "rolling"): Payload<"compact.after"> => ({
  kind,
  trigger: "threshold",
  messages: history,
  fromExtension: false,
  messageCount: 1,
  messagesArchived: 1,
  summary: "",
});

type Handler = (event: HookContext, call: Call) => unknown;
interface On {
  readonly onError?: "skip" | "abort";
  readonly retry?: number;
  readonly match?: (event: HookContext) => boolean;
  readonly timeoutMs?: number;
}

/** The lane with functions in place of commands, so that a row is tested and nothing else. */
export class Lane {
  readonly diagnostics: Diagnostic[] = [];
  readonly registry = new Registry(jcli.lanes, catalog, (diagnostic) => this.diagnostics.push(diagnostic));
  readonly instance: Instance;
  readonly #clock: Clock;
  readonly #scene: Scene;

  constructor(more: { clock?: Clock; scene?: Scene } = {}) {
    this.#clock = more.clock ?? systemClock;
    this.#scene = more.scene ?? scene;
    this.instance = new Instance("jcli", { path: "hooks.yaml", tier: "user", dialect: "jcli" }, this.registry);
  }

  on(event: string, run: Handler, more: On = {}): this {
    this.instance.on({ event, run: run as never, ...more } as never);
    return this;
  }

  async emit<E extends EventName>(event: E, payload: Payload<E>, signal?: AbortSignal): Promise<Outcome> {
    const plan = this.registry.plan(event);
    if (plan === undefined) throw new Error(`nobody listens to ${event}`);
    return dispatch(plan, payload as object, {
      scene: this.#scene,
      clock: this.#clock,
      deadlines: new Deadlines(this.#clock),
      signal,
      trace: false,
      report: (diagnostic) => this.diagnostics.push(diagnostic),
    });
  }

  /** The catalog's answer to an event to which one hook says this. */
  static async says<E extends EventName>(
    hook: string,
    answer: unknown,
    event: E,
    payload: Payload<E>,
  ): Promise<unknown> {
    const outcome = await new Lane().on(hook, () => answer).emit(event, payload);
    return outcome.answer;
  }

  /** Returns the event that one hook sees. */
  static async shows<E extends EventName>(
    hook: string,
    event: E,
    payload: Payload<E>,
    given?: Scene,
  ): Promise<unknown> {
    let seen: unknown;
    const lane = new Lane(given === undefined ? {} : { scene: given });
    await lane.on(hook, (context) => void (seen = context)).emit(event, payload);
    return JSON.parse(JSON.stringify(seen));
  }
}

/** A clock that stands still until it is set. */
export class HandClock implements Clock {
  ms = 0;
  now(): number {
    return this.ms;
  }
  wall(): number {
    return this.ms;
  }
  timer() {
    return { cancel() {}, hold() {} };
  }
}

/** A model that answers in turn and keeps what it was asked. */
export function model(...replies: (string | Exclude<LlmReport, { ok: true }>)[]): LlmTransport & { calls: LlmCall[] } {
  const calls: LlmCall[] = [];
  return {
    calls,
    complete(asked) {
      calls.push(asked);
      const reply = replies[Math.min(calls.length, replies.length) - 1] ?? "";
      return Promise.resolve(typeof reply === "string" ? { ok: true, text: reply } : reply);
    },
  };
}

interface OpenOptions {
  readonly settings?: DialectSettings;
  readonly llm?: LlmTransport;
  readonly process?: ProcessTransport;
  readonly env?: Readonly<Record<string, string>>;
  readonly scene?: Partial<Scene>;
}

/** Folders of a user and a project, and sessions in them. */
export class Bench {
  readonly root = mkdtempSync(join(tmpdir(), "hookline-jcli-"));
  readonly home = join(this.root, "home");
  readonly cwd = join(this.root, "project");
  readonly hooklineHome = join(this.home, ".hookline");
  readonly diagnostics: Diagnostic[] = [];

  constructor() {
    for (const folder of [this.home, this.cwd]) mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
  }

  /** Writes below the folder that holds both, such as `home/.jdata/agent/hooks.yaml`. */
  write(path: string, content: string | Uint8Array, mode = 0o644): string {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    chmodSync(whole, mode);
    return whole;
  }

  user(yaml: string | Uint8Array): string {
    return this.write("home/.jdata/agent/hooks.yaml", yaml);
  }

  project(yaml: string): string {
    return this.write("project/.jcli/hooks.yaml", yaml);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  scan(more: Partial<Scan> = {}): Scan {
    const { home, cwd, hooklineHome } = this;
    return { cwd, home, hooklineHome, env: {}, files: systemFiles, explicit: [], settings: {}, ...more };
  }

  async discover(more: Partial<Scan> = {}): Promise<Found> {
    return jcli.discover(this.scan(more));
  }

  async open(options: OpenOptions = {}): Promise<HookSession> {
    const { settings = {}, llm, env = {} } = options;
    const runtime = createHookRuntime({
      dialects: [jcli],
      home: this.home,
      hooklineHome: this.hooklineHome,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      consent: approveEverything,
      transports: { ...(llm && { llm }), ...(options.process && { process: options.process }) },
    });
    onTestFinished(() => runtime.close());
    return runtime.open({
      scene: { ...scene, cwd: this.cwd, ...options.scene },
      settings,
      onDiagnostic: (diagnostic) => this.diagnostics.push(diagnostic),
    });
  }

  around(more: Partial<Surroundings["transports"]> = {}): Surroundings {
    const never = () => Promise.reject(new Error("not in this test"));
    return {
      scan: this.scan(),
      scene: { ...scene, cwd: this.cwd },
      services: {},
      background: new Background(systemClock),
      contributions: new Contributions(["jcli"]),
      transports: {
        process: { run: never, open: never, close: () => Promise.resolve() },
        module: { load: never, owner: () => undefined },
        llm: { complete: never },
        http: { ask: never, open: never, close: () => Promise.resolve() },
        ...more,
      },
      clock: systemClock,
      privateFiles,
      shared: new Map(),
    };
  }
}

export const codes = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(({ code }) => code);
