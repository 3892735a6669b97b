import { type AgentTool, type AgentTools, type CallArgs, shellQuoted } from "@hookline/runtime/engine";
import { piTools } from "../pi/tools.ts";

type ImpliedCalls = ReturnType<NonNullable<AgentTool["implies"]>>;

const PATH = { path: ["path", "file_path"] };
const OTHER = { kind: "other" } as const;
const CODE = "code is no command: only hooks for `eval` are asked about what `eval` runs and starts";

/** oh-my-pi's tools: pi's, partly changed, and more of its own. Source: spec/omp.md 1.1 and 7; spec/hosts/omp. */
export const ompTools: AgentTools = {
  server: /^mcp_/,
  namings: [
    { prefix: "mcp__", separator: "_", isLower: true },
    { prefix: "mcp_", separator: "_", isLower: true },
  ],
  tools: {
    ...Object.fromEntries(Object.entries(piTools.tools).filter(([name]) => name !== "find")),
    read: { kind: "reads", tool: "read", args: PATH, needs: ["path"], implies: fetchesOf },
    grep: { kind: "searches", tool: "grep", needs: ["pattern"], implies: fetchesOf },
    glob: { kind: "searches", tool: "find" },
    // The model and the settings decide what `edit` takes: one text, whose files oh-my-pi adds as `paths`; an old and a
    // new text; a patch; or a form that does not show its files.
    edit: {
      kind: "writes",
      tool: "edit",
      args: { path: ["path", "paths"] },
      many: "paths",
      needs: ["path"],
      edits: { old: "old_string", new: "new_string" },
    },
    hub: { kind: "other", implies: hubCalls, starts: { prompt: "message", type: "to", otherwise: "task" } },
    find: { kind: "searches", tool: "find", offered: "versions before 17" },
    eval: {
      kind: "runs",
      needs: ["code"],
      unasked: { bash: CODE, task: CODE },
    },
    fetch: { kind: "fetches" },
    web_search: { kind: "fetches", tool: "WebSearch" },
    task: {
      kind: "starts",
      tool: "task",
      starts: { prompt: "task", type: "agent", otherwise: "task", list: "tasks" },
    },
    todo: { kind: "other", tool: "todo" },
    ask: { kind: "other", tool: "ask" },
    ast_grep: { kind: "searches", implies: fetchesOf },
    ast_edit: { kind: "writes" },
    lsp: { kind: "writes" },
    browser: { kind: "fetches" },
    notebook: { kind: "writes" },
    checkpoint: OTHER,
    rewind: OTHER,
    job: OTHER,
    resolve: OTHER,
    yield: OTHER,
  },
};

/** Returns a `bash` call for the command that `hub` runs, and a `task` call for the work it gives to an agent. */
function hubCalls(call: CallArgs): ImpliedCalls {
  const { message, to } = call;
  const command = hubCommand(call);
  return [
    ...(command === undefined ? [] : [{ tool: "bash", args: { command } }]),
    ...(typeof message === "string" ? [{ tool: "task", args: { prompt: message, subagent_type: to } }] : []),
  ];
}

/** Returns the command that a call of `hub` runs, or the text that it types into a process. */
function hubCommand({ op, application, args, text }: CallArgs): string | undefined {
  if (op === "send" && typeof text === "string") return text;
  if (op !== "start" && op !== "restart") return undefined;
  const words = [application, ...[args ?? []].flat()].map(String);
  return words.map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : shellQuoted(word))).join(" ");
}

/**
 * Returns the URLs in a call's path, which oh-my-pi fetches. A path may be a list, or a text with several URLs.
 * `https:/host` and `www.host` are URLs too.
 */
function fetchesOf({ path }: CallArgs): ImpliedCalls {
  const whole = [path].flat().filter((one): one is string => typeof one === "string");
  const parts = whole.flatMap((text) => text.split(/[\s;"']+|,(?=https?:|www\.)/i));
  return [...new Set([...whole, ...parts])]
    .filter((text) => /^(?:https?:\/|www\.)/i.test(text))
    .map((text) => text.replace(/^www\./i, "https://$&").replace(/^(https?:\/)(?!\/)/i, "$1/"))
    .map((url) => ({ tool: "fetch", args: { url } }));
}
