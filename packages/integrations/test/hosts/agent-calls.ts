import type { HostName } from "@hookline/integrations/hosts";
import type { AgentTool } from "@hookline/runtime/engine";

type Args = Readonly<Record<string, unknown>>;
/** An event of a host before a call, and a payload of it; `given` is what it tells of the arguments. */
type Envelope = readonly [event: string, payload: (tool: string, given: unknown) => object];

const claude: Envelope[1] = (tool_name, tool_input) => ({ session_id: "s", tool_use_id: "c", tool_name, tool_input });
const extension: Envelope[1] = (toolName, input) => ({ session: "s", event: { toolCallId: "c", toolName, input } });

/** How each host tells of a call that has not run. */
export const ENVELOPES: Readonly<Record<string, Envelope>> = {
  claude: ["PreToolUse", claude],
  codex: ["PreToolUse", claude],
  copilot: ["preToolUse", (toolName, toolArgs) => ({ sessionId: "s", toolName, toolArgs })],
  cursor: ["preToolUse", claude],
  gemini: ["BeforeTool", claude],
  omp: ["tool_call", extension],
  opencode: [
    "tool.execute.before",
    (tool, args) => ({ session: "s", event: { input: { tool, callID: "c" }, output: { args } } }),
  ],
  pi: ["tool_call", extension],
  qwen: ["PreToolUse", claude],
} satisfies Readonly<Record<HostName, Envelope>>;

/** A patch that adds, changes, deletes and moves a file. */
export const PATCH = `*** Begin Patch
*** Add File: added.txt
+one
*** Update File: changed.txt
@@
 keep
-old
+new
*** Delete File: gone.txt
*** Update File: from.txt
*** Move to: to.txt
@@
-a
+b
*** End Patch`;

const VALUES: Args = {
  path: "f.txt",
  content: "text",
  command: "ls",
  pattern: "x",
  url: "https://a.test/x",
  prompt: "do it",
  patch: PATCH,
  notebook_path: "n.ipynb",
  code: "1",
};

/** The names of the arguments that a tool needs, by the catalogue's names of them, as its agent documents them. */
export function neededNames(entry: AgentTool): readonly (readonly [needed: string, names: readonly string[]])[] {
  return (entry.needs ?? []).map((needed) => {
    if (needed === "edits") return [needed, [entry.edits?.list ?? entry.edits?.old ?? "edits"]];
    if (needed === "url" && entry.many !== undefined) return [needed, [entry.many]];
    const names = entry.args?.[needed] ?? needed;
    return [needed, typeof names === "string" ? [names] : names];
  });
}

/** Arguments with which a tool can be called. */
export function argsOf(entry: AgentTool): Args {
  return Object.fromEntries(
    neededNames(entry).flatMap(([needed, [name = needed]]): (readonly [string, unknown])[] => {
      if (needed !== "edits")
        return [[name, needed === "url" ? `see ${VALUES["url"]}`.slice(entry.many ? 0 : 4) : VALUES[needed]]];
      const { old = "oldText", new: now = "newText", list } = entry.edits ?? { list: "edits" };
      const pair = { [old]: "a", [now]: "b" };
      return list === undefined ? Object.entries(pair) : [[list, [pair]]];
    }),
  );
}
