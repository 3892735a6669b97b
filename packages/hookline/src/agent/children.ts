import { basename, dirname, join } from "node:path";
import type { Message, Scene } from "@hookline/runtime";
import { joinedSignal, type Usage } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { ask } from "../hook/ask.ts";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import { newSessionId } from "../session/id.ts";
import type { SessionRequest } from "../session/open.ts";
import type { SessionManager } from "../session/session.ts";
import type { AgentDefinition } from "../subagent/definition.ts";
import { startable } from "../subagent/general.ts";
import { textResult } from "../tool/result.ts";
import type { Tool, ToolResult } from "../tool/tool.ts";
import type { Core, OfferedByAgent } from "../turn/core.ts";
import type { PromptResult } from "../turn/event.ts";
import type { Child } from "./child.ts";
import { writtenModel } from "./child-model.ts";
import { Roster } from "./roster.ts";
import { createTaskTool, TASK_TOOL, type Task } from "./task.ts";
import { usageOf } from "./usage.ts";

/** The session and the services with which `Children` starts sub-agents. */
export interface ChildrenParts {
  readonly hooks: HookSession;
  readonly scene: Scene;
  readonly registry: ModelRegistry;
  /** Names of tools that no sub-agent may use. */
  readonly never: readonly string[];
  /** Returns the open session. `sessionSignal` is aborted when another session replaces it. */
  store(): SessionManager;
  sessionSignal(): AbortSignal;
  openSession(request: SessionRequest): SessionManager;
}

/** The type of the entry in the parent's session that records the file of a sub-agent's conversation. */
export const CHILD_ENTRY = "hookline-subagent";

/** The sub-agents of one session: starts them within the limits and keeps track of the running ones. */
export class Children {
  /** All sub-agents of the session that this program has started, for display. */
  readonly roster = new Roster();
  readonly #parts: ChildrenParts;
  readonly #working = new Map<string, Working>();
  readonly #told = new Set<string>();
  #atOnce = 0;
  #ofPrompt = 0;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  /**
   * Resets the count of sub-agents that the current prompt has started. Must be called when a person sent something.
   */
  reset(): void {
    this.#ofPrompt = 0;
  }

  /** Returns the conversation of a running sub-agent. */
  messages(id: string): readonly Message[] | undefined {
    return this.#working.get(id)?.child.messages();
  }

  /** Returns the file that defines a running sub-agent; undefined for a built-in definition. */
  file(id: string): string | undefined {
    const source = this.#working.get(id)?.definition.source;
    return source?.tier === "builtin" ? undefined : source?.path;
  }

  /** Returns a signal that is aborted when the sub-agent has ended. */
  ended(id: string): AbortSignal {
    return this.#working.get(id)?.ended.signal ?? AbortSignal.abort();
  }

  /** Runs a task in a new sub-agent and returns its last message. Throws the reason if there is no such message. */
  async run(parent: Core, task: Task): Promise<ToolResult> {
    const depth = (parent.scene.depth ?? 0) + 1;
    const definition = definitionOf(parent, task.type);
    const leave = this.#enter(parent, depth);
    try {
      const child = await this.#started(parent, task, definition, depth);
      return await this.#done(parent, task, child);
    } finally {
      leave();
    }
  }

  /** Reserves a place for a running sub-agent; returns a function that frees it. Throws if a limit is reached. */
  #enter({ settings }: Core, depth: number): () => void {
    const { maxDepth, maxAtOnce, maxPerPrompt } = settings.task;
    if (depth > maxDepth)
      throw new Error(
        `Sub-agents may be ${maxDepth} deep at most (task.maxDepth), so this one starts none. Do the task here.`,
      );
    if (this.#atOnce >= maxAtOnce)
      throw new Error(
        `${maxAtOnce} sub-agents work already, which is the limit (task.maxAtOnce). Wait for one of them.`,
      );
    if (this.#ofPrompt >= maxPerPrompt)
      throw new Error(
        `${maxPerPrompt} sub-agents have been started for this prompt, which is the limit (task.maxPerPrompt). Do the task here.`,
      );
    this.#atOnce += 1;
    this.#ofPrompt += 1;
    return () => {
      this.#atOnce -= 1;
    };
  }

  async #started(parent: Core, task: Task, definition: AgentDefinition, depth: number): Promise<Started> {
    const { hooks, scene, registry } = this.#parts;
    const { toolCallId, description, signal } = task;
    const { name } = definition;
    const wanted = this.#modelFor(parent, task, definition);
    const tools = this.#toolsFor(parent, task, definition, depth);
    const { answer } = await ask(
      parent,
      "agent.spawn",
      { type: name, prompt: task.prompt, description, model: nameOf(wanted), tools: [...tools.keys()], depth },
      signal,
    );
    if (signal.aborted) throw new Error(ABORTED);
    if (answer.cancel) throw new Error(answer.reason ?? `A hook refused the sub-agent ${name}.`);
    const model = answer.model === undefined ? wanted : (writtenModel([answer.model], wanted, registry) ?? wanted);
    if (answer.note !== undefined) parent.tell({ type: "notice", level: "info", text: answer.note });
    const id = newSessionId();
    const store = this.#parts.openSession(this.#requestFor(id));
    const { Child } = await import("./child.ts");
    const own = new Map(tools);
    const child = new Child({
      id,
      definition,
      parent,
      hooks,
      scene,
      depth,
      store,
      model,
      tools: own,
      apiKey: (of) => registry.getApiKey(of),
    });
    if (own.has(TASK_TOOL)) own.set(TASK_TOOL, { tool: this.tool(() => child.core), type: "builtin" });
    const path = store.getSessionFile();
    parent.store.appendCustomEntry(CHILD_ENTRY, { id, type: name, path, toolCallId, state: "started" });
    const parentId = parent.scene.agentId;
    const agent = {
      ...{ id, type: name, description, depth, toolCallId, model: nameOf(model) },
      ...(parentId !== undefined && { parentId }),
      ...(path !== undefined && { path }),
    };
    parent.tell({ type: "subagent_start", agent });
    return { id, definition, child, prompt: answer.prompt ?? task.prompt };
  }

  async #done(parent: Core, { signal }: Task, { id, definition, child, prompt }: Started): Promise<ToolResult> {
    const { store, model } = child.core;
    const ended = new AbortController();
    this.#working.set(id, { child, definition, ended });
    let result: PromptResult = { kind: "aborted" };
    const either = joinedSignal(signal, this.#parts.sessionSignal());
    try {
      result = await child.run(prompt, either.signal);
    } finally {
      either.leave();
      this.#working.delete(id);
      ended.abort();
      await store.flush();
      const usage = taken(store);
      store.close();
      parent.store.appendUsage(USAGE, model.provider, model.id, usage, id);
      parent.tell({ type: "subagent_end", agentId: id, outcome: result.kind, usage });
    }
    const details = { agentId: id, type: definition.name, outcome: result.kind };
    switch (result.kind) {
      case "answered":
        return textResult(result.text === "" ? "The sub-agent ended without a text." : result.text, details);
      case "stopped":
        throw new Error(result.reason);
      case "failed":
        throw new Error(`The sub-agent failed: ${result.error}`);
      default:
        throw new Error(ABORTED);
    }
  }

  /** Makes the tool with which an agent starts sub-agents. */
  tool(parent: () => Core): Tool {
    return createTaskTool({
      agents: () => [...startable(parent().resources.agents).values()],
      run: (task) => this.run(parent(), task),
    });
  }

  /** Returns the first available model that the call or the definition names, otherwise the parent's model. */
  #modelFor(parent: Core, { model }: Task, definition: AgentDefinition): Model {
    const found = writtenModel([model, definition.model], parent.model, this.#parts.registry);
    const named = [model, definition.model].filter((one) => one !== undefined).join(", ");
    if (found !== undefined || named === "") return found ?? parent.model;
    const text = `Sub-agent ${definition.name}: there is no model ${named} with a key here, so it has ${nameOf(parent.model)}.`;
    if (!this.#told.has(text)) parent.tell({ type: "notice", level: "warning", text });
    this.#told.add(text);
    return parent.model;
  }

  /** Returns a sub-agent's tools: those that its definition names and its parent was offered. None are added later. */
  #toolsFor(
    parent: Core,
    { offered }: Task,
    definition: AgentDefinition,
    depth: number,
  ): ReadonlyMap<string, OfferedByAgent> {
    const { tools, withoutTools = [] } = definition;
    const out = [...this.#parts.never, ...withoutTools, ...(depth < parent.settings.task.maxDepth ? [] : [TASK_TOOL])];
    return new Map(
      [...parent.tools()].filter(
        ([name]) => offered.includes(name) && tools?.includes(name) !== false && !out.includes(name),
      ),
    );
  }

  /** Returns the request for the sub-agent's session. It is only stored if the parent's session is. */
  #requestFor(id: string): SessionRequest {
    const file = this.#parts.store().getSessionFile();
    return file === undefined ? { kind: "memory", id } : { kind: "file", path: childPath(file, id), id };
  }
}

/** Returns the path of a sub-agent's conversation, in a folder next to the session's file. */
function childPath(session: string, id: string): string {
  return join(dirname(session), basename(session, ".jsonl"), "agents", `${id}.jsonl`);
}

interface Working {
  readonly child: Child;
  readonly definition: AgentDefinition;
  readonly ended: AbortController;
}

interface Started extends Omit<Working, "ended"> {
  readonly id: string;
  readonly prompt: string;
}

const ABORTED = "Operation aborted";
/** The kind of the usage entries in the parent's session that count the tokens of sub-agents. */
const USAGE = "sub-agent";

function definitionOf({ resources }: Core, type: string): AgentDefinition {
  const known = startable(resources.agents);
  const found = known.get(type);
  if (found === undefined) throw new Error(`There is no agent "${type}". There are: ${[...known.keys()].join(", ")}.`);
  return found;
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

function taken(store: SessionManager): Usage {
  const { tokens, cost } = usageOf(store.getEntries());
  const { total: totalTokens, ...counts } = tokens;
  return { ...counts, totalTokens, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost } };
}
