import type { Usage } from "@hookline/runtime/engine";
import type { Agent } from "../../agent/agent.ts";
import { contextUsage, sessionStats } from "../../agent/usage.ts";
import { levelsOf } from "../../provider/thinking.ts";
import type { Facts } from "../../tui/footer.ts";
import type { GitBranch } from "../../tui/git-branch.ts";
import type { AgentEvent } from "../../turn/event.ts";

type Counted = Pick<Facts, "tokens" | "cost" | "contextPercent" | "contextWindow">;

/** The facts about an agent in the footer, such as model and tokens. Computed on changes, not for each frame. */
export class AgentFacts {
  readonly #home: string;
  readonly #cwd: string;
  readonly #branch: GitBranch;
  #agent: Agent | undefined;
  #counted: Counted | undefined;

  constructor(cwd: string, home: string, branch: GitBranch) {
    this.#cwd = cwd;
    this.#home = home;
    this.#branch = branch;
  }

  follow(agent: Agent): void {
    this.#agent = agent;
    agent.listen((event) => this.#heard(event));
  }

  get now(): Facts {
    const agent = this.#agent;
    const core = agent?.core;
    const cwd = this.#cwd.startsWith(`${this.#home}/`) ? `~${this.#cwd.slice(this.#home.length)}` : this.#cwd;
    const model = core?.model;
    return {
      cwd,
      branch: this.#branch.name,
      session: core?.store.getSessionName(),
      model: model && `${model.provider}/${model.id}`,
      thinking: core !== undefined && levelsOf(core.model).length > 1 ? core.thinking : undefined,
      context: core?.scene.context,
      running: longRunning(core?.hooks.running() ?? []),
      background: (core?.hooks.background.list() ?? []).map(({ label }) => label.replace(`${this.#cwd}/`, "")),
      without: (core?.hooks.excused ?? []).map((name) => name.replace(`${this.#cwd}/`, "")),
      ...(this.#counted ??= this.#count()),
    };
  }

  #count(): Counted {
    const core = this.#agent?.core;
    if (core === undefined)
      return { tokens: { input: 0, output: 0 }, cost: 0, contextPercent: undefined, contextWindow: undefined };
    const { tokens, cost } = sessionStats(core);
    const share = contextUsage(core);
    return { tokens, cost, contextPercent: share?.percent, contextWindow: share?.contextWindow };
  }

  /** Adds a reply's usage to the footer. Other events, such as a compaction, make it count all replies again. */
  #heard(event: AgentEvent): void {
    if (event.type === "message_end" && event.message.role === "assistant") this.#add(event.message.usage);
    else if (RECOUNTED.has(event.type)) this.#counted = undefined;
  }

  #add(usage: Usage | undefined): void {
    const core = this.#agent?.core;
    const counted = this.#counted;
    if (counted === undefined || core === undefined || usage === undefined) return;
    const { contextWindow } = core.model;
    const held = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
    this.#counted = {
      tokens: { input: counted.tokens.input + usage.input, output: counted.tokens.output + usage.output },
      cost: counted.cost + (usage.cost?.total ?? 0),
      contextWindow: contextWindow > 0 ? contextWindow : undefined,
      contextPercent: contextWindow > 0 && held > 0 ? (held / contextWindow) * 100 : counted.contextPercent,
    };
  }
}

/** The time after which a running hook is shown in the footer, in ms. */
const LONG_MS = 2000;

function longRunning(all: readonly { readonly ms: number }[]): Facts["running"] {
  const long = all.filter(({ ms }) => ms >= LONG_MS);
  return long[0] === undefined ? undefined : { count: long.length, ms: long[0].ms };
}

const RECOUNTED: ReadonlySet<string> = new Set([
  "session_changed",
  "tree_changed",
  "compaction_end",
  "model_changed",
  "subagent_end",
  "agent_settled",
]);
