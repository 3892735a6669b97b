import type { Message, Scene } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import { ask } from "../hook/ask.ts";
import { tellDropped, waitingTexts } from "../hook/context.ts";
import { Halts } from "../hook/halts.ts";
import { lackOf } from "../provider/body-keys.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import { isThinking } from "../provider/through.ts";
import type { SessionManager } from "../session/session.ts";
import type { AgentDefinition } from "../subagent/definition.ts";
import { begin, type Opener } from "../turn/begin.ts";
import type { Core, OfferedByAgent } from "../turn/core.ts";
import { drive, watchPrompt } from "../turn/drive.ts";
import type { AgentEvent, PromptResult } from "../turn/event.ts";
import { HookTurns } from "../turn/hook-turns.ts";
import { Queues } from "../turn/queue.ts";

/** The parts from which a sub-agent is built. */
export interface ChildParts {
  readonly id: string;
  readonly definition: AgentDefinition;
  readonly parent: Core;
  readonly hooks: HookSession;
  /** The scene of the session, from which the sub-agent's own scene is derived. */
  readonly scene: Scene;
  readonly depth: number;
  readonly store: SessionManager;
  readonly model: Model;
  /** The tools that the sub-agent may be offered; none are added later. */
  readonly tools: ReadonlyMap<string, OfferedByAgent>;
  apiKey(model: Model): Promise<string | undefined>;
}

/** The instructions that every sub-agent gets after those of its definition. */
const APPENDED =
  "You are a sub-agent: another agent has given you the task below. Nobody reads what you say on the way. Your last message is handed to that agent, so it must hold everything that was asked for.";

/** A sub-agent. Has its own conversation, model, queues and counters; shares the session's loop, hooks and limits. */
export class Child implements Opener {
  readonly core: Core;
  readonly customPrompt: string | undefined;
  readonly appendedPrompt = APPENDED;
  #systemPrompt = "";

  constructor({ id, definition, parent, hooks, scene, depth, store, model, tools, apiKey }: ChildParts) {
    const { name, prompt } = definition;
    this.customPrompt = prompt === "" ? undefined : prompt;
    const tell = (event: AgentEvent): void => parent.tell(marked(id, name, event));
    const systemPrompt = (): string => this.#systemPrompt;
    const thinking = "off";
    const own = childScene(scene, { id, type: name, depth, model, thinking, store, systemPrompt });
    const { confirm, approve, elsewhere } = parent;
    this.core = {
      hooks: hooks.within(own),
      scene: own,
      store,
      provider: parent.provider,
      model,
      thinking,
      settings: parent.settings,
      queues: new Queues(),
      halts: new Halts((reason) => tell({ type: "notice", level: "warning", text: reason })),
      hookTurns: new HookTurns(undefined),
      resources: parent.resources,
      get systemPrompt() {
        return systemPrompt();
      },
      llm: parent.llm,
      apiKey: () => apiKey(model),
      tools: () => tools,
      activeTools: () => [...tools.keys()],
      selectedTools: () => undefined,
      tell,
      patience: parent.patience,
      elsewhere,
      ...(approve !== undefined && {
        approve: (title, ...about) => approve(`Sub-agent ${name}: ${title}`, ...about),
      }),
      ...(confirm !== undefined && {
        confirm: (title, message, signal) => confirm(`Sub-agent ${name}: ${title}`, message, signal),
      }),
    };
  }

  showOnItsWay(): void {}

  setActiveTools(): void {}

  useSystemPrompt(text: string): void {
    this.#systemPrompt = text;
  }

  messages(): readonly Message[] {
    return this.core.store.buildSessionContext().messages;
  }

  /** Runs the task to its end, through the same loop as every prompt. */
  run(prompt: string, signal: AbortSignal): Promise<PromptResult> {
    return watchPrompt(this.core, () => this.#run(prompt, signal));
  }

  async #run(prompt: string, signal: AbortSignal): Promise<PromptResult> {
    const { core } = this;
    const ended = core.halts.begin();
    try {
      const about = { prompt, model: core.model.id, tools: core.activeTools() };
      const { answer, hooks } = await ask(core, "agent.spawned", about, signal);
      const context = waitingTexts("agent.spawned", answer.additionalContext, hooks);
      if (signal.aborted) {
        tellDropped(core, context);
        return { kind: "aborted" };
      }
      const opened = await begin(this, { typed: prompt, text: prompt, context, signal });
      return "kind" in opened ? opened : await drive(opened);
    } finally {
      ended();
    }
  }
}

/** Wraps a sub-agent's event for the session's listeners, except a notice, which gets the sub-agent's name. */
function marked(agentId: string, type: string, event: AgentEvent): AgentEvent {
  if (event.type === "notice") return { ...event, text: `Sub-agent ${type}: ${event.text}` };
  const isOfOwn = event.type === "subagent_start" || event.type === "subagent_event" || event.type === "subagent_end";
  return isOfOwn ? event : { type: "subagent_event", agentId, event };
}

/** The fields of a scene that a sub-agent has for itself. */
interface ChildSceneParts {
  readonly id: string;
  readonly type: string;
  readonly depth: number;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly store: SessionManager;
  systemPrompt(): string;
}

/** Returns the scene of a sub-agent: the session's scene with the sub-agent's own conversation and model. */
function childScene(session: Scene, parts: ChildSceneParts): Scene {
  const { id, type, depth, model, thinking, store } = parts;
  const own: Partial<Scene> = {
    agentId: id,
    agentType: type,
    depth,
    agentFile: store.getSessionFile(),
    model: model.id,
    thinking,
    messages: () => store.buildSessionContext().messages,
    systemPrompt: () => parts.systemPrompt(),
    lacks: (key, value, held) => lackOf({ ...model, thinks: isThinking(model, thinking) }, key, value, held),
  };
  // The session's fields are getters; a copy would freeze their values.
  return Object.create(session, Object.getOwnPropertyDescriptors(own)) as Scene;
}
