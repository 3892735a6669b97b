import { describeOwner, readText, replaceText } from "@hookline/ground/system";
import type { Contexts } from "../../context/contexts.ts";
import { lastSession } from "../../context/last-session.ts";
import { checkContextName } from "../../context/name.ts";
import { appendTranscript } from "../../context/transcript.ts";
import { lockOwner } from "../../session/lock.ts";
import type { Agent } from "../agent.ts";
import { compactNow } from "../manual.ts";
import type { BuiltinCommand } from "../submit.ts";
import { switchSession } from "../switch.ts";

const USAGE = "/context list | new [NAME] | switch NAME | - | archive [NAME] | compact [NAME] | destroy NAME";

/** Makes the command `/context`, which shows, switches and empties the agent's named contexts. */
export function contextCommand(agent: Agent, contexts: Contexts): BuiltinCommand {
  return {
    name: "context",
    description: `named contexts: ${USAGE}`,
    async run(args) {
      const [what = "", name = "", more] = args.split(/\s+/);
      if (more !== undefined) throw new Error(`A context's name is one word. Use ${USAGE}.`);
      if (what === "") return described(contexts);
      if (what === "list" && name === "") return listed(contexts);
      if (what === "-" && name === "") return switched(agent, contexts, "-");
      if (what.startsWith("new:") && name === "") return switched(agent, contexts, what);
      if (what === "new") return switched(agent, contexts, fresh(contexts, name));
      if (what === "switch" && name !== "") return switched(agent, contexts, name);
      if (what === "archive" || what === "compact") return emptied(agent, contexts, what, name);
      if (what === "destroy" && name !== "") return destroyed(agent, contexts, name);
      throw new Error(`There is no /context ${args}. Use ${USAGE}.`);
    },
  };
}

function described(contexts: Contexts): string {
  const { messages } = contexts.agent.store().buildSessionContext();
  const lines = [`Context: ${contexts.name}`, `Messages: ${messages.length}`];
  const [summary = ""] = contexts.summary.split("\n");
  return (summary === "" ? lines : [...lines, `Summary: ${summary}`]).join("\n");
}

function listed(contexts: Contexts): string {
  const names = [...new Set([...contexts.place.names(), contexts.name])].sort();
  return names.map((name) => `${name === contexts.name ? "*" : " "} ${name}`).join("\n");
}

function fresh(contexts: Contexts, name: string): string {
  if (name === "") return "new";
  checkContextName(name);
  if (contexts.place.exists(name)) {
    throw new Error(`The context "${name}" is there already. Use /context switch ${name}.`);
  }
  return name;
}

/** Switches to another context's session. */
async function switched(agent: Agent, contexts: Contexts, request: string): Promise<string> {
  const name = contexts.place.resolve(request, contexts.previous);
  const wanted = contexts.requestFor(name);
  const before = contexts.name;
  let tell = async (): Promise<void> => {};
  // The session of the current context is open already.
  if (name === contexts.name) tell = contexts.become(name);
  else {
    const { cancelled } = await switchSession(agent, {
      reason: wanted.kind === "new" ? "new" : "resume",
      ...(wanted.kind === "file" && { target: wanted.path }),
      open: () => agent.openSession(wanted),
      setup: async () => {
        tell = contexts.become(name);
      },
    });
    if (cancelled) {
      // A hook has refused the new context's session when it started, so the previous context becomes current again.
      if (contexts.name !== before) contexts.become(before);
      return "A hook refused this; the session has not changed.";
    }
  }
  await tell();
  return `Context: ${name}`;
}

/** Empties the current context as `/clear` or `/compact` does, and any other without asking hooks or the model. */
async function emptied(agent: Agent, contexts: Contexts, how: "archive" | "compact", name: string): Promise<string> {
  if (name !== "" && name !== contexts.name) return setAside(agent, contexts, existing(contexts, name), how);
  if (how === "archive") return (await agent.commands.get("clear")?.run("")) ?? "";
  await compactNow(agent);
  return `Compacted context: ${contexts.name}`;
}

function existing({ place }: Contexts, name: string): string {
  checkContextName(name);
  if (!place.exists(name)) throw new Error(`There is no context "${name}". /context list shows those that there are.`);
  return name;
}

async function destroyed(agent: Agent, contexts: Contexts, name: string): Promise<string> {
  const { place } = contexts;
  existing(contexts, name);
  if (name === contexts.name) throw new Error(`The context "${name}" is current. Switch to another one first.`);
  const session = lastSession(place.paths(name));
  const owner = session === undefined ? undefined : lockOwner(session);
  if (owner !== undefined) throw new Error(`${describeOwner(owner)} is at work in "${name}". End it first.`);
  const { confirm } = agent.core;
  const signal = new AbortController().signal;
  const text = "Its todos, goals, mail and cached outputs are removed; its session stays.";
  if (confirm !== undefined && !(await confirm(`Destroy context ${name}?`, text, signal)))
    return "Nothing was removed.";
  place.destroy(name);
  return `Destroyed context: ${name}`;
}

/**
 * Empties the conversation of a context that is not current, without asking the model or a hook. `compact` keeps the
 * existing summary, `archive` drops it. The transcript and the session file keep the old messages. The messages of
 * errors are written for the person. Source: spec/chibi.md 3, `-A` and `-Z`.
 */
function setAside(agent: Agent, contexts: Contexts, name: string, how: "archive" | "compact"): string {
  const paths = contexts.place.paths(name);
  if (lastSession(paths) === undefined) throw new Error(`The context "${name}" has no conversation yet.`);
  const store = agent.openSession(contexts.requestFor(name));
  try {
    const { messages, model, thinkingLevel } = store.buildSessionContext();
    const [head] = messages;
    const summary = how === "compact" && head?.role === "compactionSummary" ? head.summary : "";
    store.resetLeaf();
    if (model !== null) store.appendModelChange(model.provider, model.modelId);
    store.appendThinkingLevelChange(thinkingLevel);
    if (summary !== "") store.appendCompaction(summary, null, 0);
    appendTranscript(paths, messages);
    if (readText(paths.summary) !== summary) replaceText(paths.summary, summary);
    contexts.record(name, store);
    return `${how === "archive" ? "Archived" : "Compacted"} context: ${name} (${messages.length} messages)`;
  } finally {
    store.close();
  }
}
