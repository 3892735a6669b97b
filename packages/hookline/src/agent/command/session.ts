import { resolve } from "node:path";
import { ask } from "../../hook/ask.ts";
import { hookCounts } from "../../item/summary.ts";
import { exportSession } from "../../session/export.ts";
import { findByPrefix } from "../../session/find.ts";
import { SessionManager } from "../../session/session.ts";
import { nameSession } from "../../turn/session-name.ts";
import type { Agent } from "../agent.ts";
import type { BuiltinCommand } from "../submit.ts";
import { reloadHooks, switchSession } from "../switch.ts";
import { sessionStats } from "../usage.ts";

const KEPT = "A hook refused this; the session has not changed.";

/** Makes the built-in commands about the session, such as `/new` and `/resume`. */
export function sessionCommands(agent: Agent): BuiltinCommand[] {
  const { core } = agent;
  return [
    {
      name: "new",
      description: "start a new session",
      async run() {
        const { cancelled } = await switchSession(agent, {
          reason: "new",
          open: () => agent.openSession({ kind: "new" }),
        });
        return cancelled ? KEPT : "New session.";
      },
    },
    {
      name: "resume",
      description: "resume another session, by id or file; with no argument, list them",
      run: (args) => (args === "" ? listed(agent) : resumed(agent, args)),
    },
    {
      name: "clear",
      description: "start over with an empty context in this session",
      run: () => cleared(agent),
    },
    {
      name: "name",
      description: "name the session; without a name, show it",
      async run(args) {
        if (args === "") return core.store.getSessionName() ?? "The session has no name.";
        await nameSession(core, args);
        return `The session is now called "${args}".`;
      },
    },
    {
      name: "session",
      description: "show the session's contents and cost",
      run: async () => described(agent),
    },
    {
      name: "export",
      description: "write the session to a file: HTML, or JSONL by its ending",
      async run(args) {
        return `Exported to ${await exportSession(core.store, args === "" ? undefined : resolve(core.scene.cwd, args))}.`;
      },
    },
    {
      name: "reload",
      description: "reload hooks, skills and prompts",
      async run() {
        await reloadHooks(agent);
        const { found, runs } = hookCounts(core.hooks.report);
        return `Reloaded: ${runs} of ${found} hooks run.`;
      },
    },
    {
      name: "quit",
      description: "end hookline",
      async run() {
        agent.requestEnd();
        return undefined;
      },
    },
  ];
}

async function resumed(agent: Agent, wanted: string): Promise<string> {
  const isPath = wanted.includes("/") || wanted.endsWith(".jsonl");
  const path = isPath ? resolve(agent.core.scene.cwd, wanted) : undefined;
  const { store } = agent.core;
  if (path === undefined ? isOnly(store, wanted) : path === store.getSessionFile())
    return "That session is open already.";
  const { cancelled } = await switchSession(agent, {
    reason: "resume",
    target: path,
    open: () => agent.openSession(path === undefined ? { kind: "id", prefix: wanted } : { kind: "file", path }),
  });
  return cancelled ? KEPT : `Session ${agent.core.store.getSessionId()}.`;
}

/** Whether `prefix` is the beginning of the open session's id, and of no other session's id in the folder. */
function isOnly(store: SessionManager, prefix: string): boolean {
  const folder = store.getSessionDir();
  const isOpen = store.getSessionId().startsWith(prefix);
  return isOpen && findByPrefix(folder, folder, prefix).every((path) => path === store.getSessionFile());
}

async function listed({ core }: Agent): Promise<string> {
  const { store } = core;
  if (!store.isPersisted()) return "This session is in memory only; there is no folder to list.";
  const sessions = await SessionManager.list(store.getCwd(), store.getSessionDir());
  if (sessions.length === 0) return "There is no other session of this folder.";
  return sessions
    .map(({ id, modified, messageCount, name, firstMessage }) => {
      const title = (name ?? firstMessage).replace(/\s+/g, " ").slice(0, 60);
      return `${id}  ${modified.toISOString().slice(0, 16).replace("T", " ")}  ${String(messageCount).padStart(4)}  ${title}`;
    })
    .join("\n");
}

/** Clears the conversation. Old entries stay in the file; the next message starts a second tree. Source: ruling 45. */
async function cleared(agent: Agent): Promise<string> {
  const { core } = agent;
  await agent.occupy(async () => {
    const { store, scene, model, thinking } = core;
    const { messages } = store.buildSessionContext();
    const about = {
      context: scene.context ?? "default",
      messageCount: messages.length,
      summary: scene.summary ?? "",
    };
    await ask(core, "context.before-clear", about);
    store.resetLeaf();
    store.appendModelChange(model.provider, model.id);
    store.appendThinkingLevelChange(thinking);
    core.contexts?.cleared(messages);
    await ask(core, "context.clear", about);
    core.tell({ type: "tree_changed", leafId: store.getLeafId() });
  });
  return "The context is empty.";
}

function described({ core }: Agent): string {
  const stats = sessionStats(core);
  const { tokens, cost, contextUsage: context } = stats;
  const name = core.store.getSessionName();
  const share =
    context?.percent == null ? "not known" : `${context.percent.toFixed(1)} % of ${context.contextWindow} tokens`;
  return [
    `Session ${stats.sessionId}${name === undefined ? "" : ` "${name}"`}`,
    `File: ${stats.sessionFile ?? "none, in memory only"}`,
    `Messages: ${stats.totalMessages} (${stats.userMessages} of the person, ${stats.assistantMessages} of the model, ${stats.toolResults} results of ${stats.toolCalls} calls)`,
    `Tokens: ${tokens.input} in, ${tokens.output} out, ${tokens.cacheRead} read from cache, ${tokens.cacheWrite} written to it`,
    `Cost: ${cost.toFixed(4)}`,
    `Context: ${share}`,
    `Model: ${core.model.provider}/${core.model.id}`,
  ].join("\n");
}
