import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Diagnostic,
  HooklineError,
  type Session as HookSession,
  type Runtime,
  type Scene,
  type TraceLine,
} from "@hookline/runtime";
import { Agent } from "../loop/agent.ts";
import { addBuiltinCommands } from "../loop/command.ts";
import { agentServices } from "../loop/services.ts";
import { openModels } from "../provider/models.ts";
import { loadApi } from "../provider/pi-ai.ts";
import { openSession, type SessionManager } from "../session/manager.ts";
import type { SessionRequest } from "../session/open.ts";
import { builtinTools } from "../tool/builtin.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Io } from "./io.ts";
import { type Place, placeOf, runtimeOf } from "./place.ts";
import { dialectSettings, loopSettings } from "./settings.ts";

/** A running agent with everything behind it. */
export interface Assembled {
  readonly agent: Agent;
  readonly runtime: Runtime;
  readonly hooks: HookSession;
  close(): Promise<void>;
}

/** What a mode may listen to while it assembles. */
export interface AssembleOptions {
  readonly mode: "print" | "json";
  onDiagnostic(diagnostic: Diagnostic): void;
  readonly trace?: { write(line: TraceLine): void; readonly payloads: boolean } | undefined;
}

/** Opens model, session and hooks, and puts the agent on top; throws what the person must mend first. */
export async function assemble(args: Arguments, io: Io, options: AssembleOptions): Promise<Assembled> {
  const place = await placeOf(args, io);
  const { registry, model } = await openModels({
    flags: dropUndefined({
      model: textFlag(args, "model"),
      baseUrl: textFlag(args, "base-url"),
      api: textFlag(args, "api"),
      script: textFlag(args, "script"),
    }),
    env: io.env,
    home: place.hooklineHome,
  });
  // The client is read from disk while the hooks load; what goes wrong is said at the first request.
  void loadApi(model.api)?.catch(() => undefined);
  for (const diagnostic of registry.diagnostics) options.onDiagnostic(diagnostic);
  for (const diagnostic of place.settings.diagnostics) options.onDiagnostic(diagnostic);
  const store = openStoreFor(args, place);
  const runtime = runtimeOf(place, io);
  const late: { agent?: Agent } = {};
  const scene = sceneOf(place.cwd, store, late, () => args.flags["verbose"] === true);
  const services = agentServices({
    mode: options.mode,
    late,
    store,
    registry,
    runtime,
    cwd: place.cwd,
    flags: args.foreign,
  });
  const hooks = await runtime.open({
    scene,
    services,
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    onDiagnostic: options.onDiagnostic,
    ...(options.trace !== undefined && { trace: options.trace }),
  });
  const wanted = textFlag(args, "tools");
  const agent = new Agent({
    hooks,
    store,
    provider: registry.provider,
    model,
    tools: builtinTools({ cwd: place.cwd, processes: runtime.processes }),
    ...(wanted !== undefined && { active: wanted.split(",").map((name) => name.trim()) }),
    settings: loopSettings(place.settings),
    systemPrompt: textFlag(args, "system-prompt"),
    contextFiles: contextFiles(place.cwd),
    openSession: (request) => openStoreFor(args, place, request),
    apiKey: () => registry.getApiKey(late.agent?.core.model as never),
  });
  late.agent = agent;
  addBuiltinCommands(agent);
  await hooks.emit("session.start", { reason: "startup" });
  return {
    agent,
    runtime,
    hooks,
    close: async () => {
      await hooks.emit("session.end", { reason: "quit" });
      agent.core.store.flush();
      agent.core.store.close();
      await runtime.close();
    },
  };
}

function sceneOf(cwd: string, store: SessionManager, late: { agent?: Agent }, verbose: () => boolean): Scene {
  const current = (): SessionManager => late.agent?.core.store ?? store;
  return {
    get sessionId() {
      return current().getSessionId();
    },
    cwd,
    get model() {
      return late.agent?.core.model.id;
    },
    messages: () => late.agent?.messages() ?? current().buildSessionContext().messages,
    systemPrompt: () => late.agent?.systemPrompt ?? "",
    context: "default",
    summary: "",
    todos: "",
    goals: "",
    recursionDepth: 0,
    get verbose() {
      return verbose();
    },
  };
}

function openStoreFor(args: Arguments, place: Place, request: SessionRequest = requestOf(args)): SessionManager {
  const sessionDir = textFlag(args, "session-dir");
  const opened = openSession(request, {
    cwd: place.cwd,
    home: place.hooklineHome,
    ...(sessionDir !== undefined && { sessionDir: resolve(place.cwd, sessionDir) }),
  });
  switch (opened.state) {
    case "open":
      return opened.session;
    case "held":
      throw sessionProblem(
        `${opened.path} is in use by process ${opened.owner.pid}`,
        "End that process, or open another session.",
      );
    case "ambiguous":
      throw sessionProblem(
        `"${opened.prefix}" begins the ids of ${opened.paths.length} sessions`,
        "Give more of the id.",
      );
    case "missing":
      throw sessionProblem(
        `no session's id begins with "${opened.prefix}"`,
        "`hookline --continue` opens the latest one.",
      );
    case "refused":
      throw sessionProblem(`${opened.path}: ${opened.problem}`, "Choose another file with --session.");
  }
}

function requestOf(args: Arguments): SessionRequest {
  const path = textFlag(args, "session");
  const prefix = textFlag(args, "resume");
  if (args.flags["no-session"] === true) return { kind: "memory" };
  if (path !== undefined) return { kind: "file", path };
  if (prefix !== undefined) return { kind: "id", prefix };
  return { kind: args.flags["continue"] === true ? "recent" : "new" };
}

function sessionProblem(problem: string, remedy: string): HooklineError {
  return new HooklineError("INVALID_OPTION", {
    option: "The session",
    problem: `cannot be opened: ${problem}`,
    remedy,
  });
}

function contextFiles(cwd: string): { path: string; content: string }[] {
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const path = join(cwd, name);
    try {
      return [{ path, content: readFileSync(path, "utf8") }];
    } catch {
      // Not there: the next name is tried.
    }
  }
  return [];
}

function dropUndefined<T extends Record<string, string | undefined>>(record: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}
