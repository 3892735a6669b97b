import { resolve } from "node:path";
import type { Payload } from "@hookline/runtime";
import { answerOnly, field, halt, isString, record, type Scene } from "@hookline/runtime/dialect";
import { isInside } from "@hookline/runtime/engine";
import { closes, observed, type Point, point, refusal } from "./point.ts";
import { isBoolean } from "./reads.ts";
import { contextName, toolName } from "./views.ts";

/**
 * Hook points of later chibi releases that never fire here. Registering a hook for one is reported. Source:
 * spec/chibi.md 1.3.
 */
export const NEVER_FIRING: ReadonlySet<string> = new Set([
  "pre_agentic_loop",
  "pre_fetch_url",
  "post_index_file",
  "pre_vfs_write",
  "post_vfs_write",
]);

/** An answer to a permission hook. A refusal is `denied: true`; older releases of chibi used `approved: false`. */
interface Permission {
  readonly denied?: boolean;
  readonly approved?: boolean;
  readonly reason?: string;
}

type Call = Payload<"tool.before">;

interface Asked {
  readonly name: string;
  when(call: Call, scene: Scene): boolean;
  see(call: Call, scene: Scene): object;
}

const asked: readonly Asked[] = [
  {
    name: "pre_file_write",
    when: ({ tool }) => tool === "write" || tool === "edit",
    see: ({ tool, args }) => ({ ...args, tool_name: tool === "write" ? "write_file" : "file_edit" }),
  },
  {
    name: "pre_shell_exec",
    when: ({ tool }) => tool === "bash",
    see: ({ args }) => ({ ...args, tool_name: "shell_exec" }),
  },
  {
    // chibi asks only about files outside of its allowed folders; here, that means outside of the session's folder.
    name: "pre_file_read",
    when: ({ tool, args }, { cwd }) => tool === "read" && !isInside(pathOf(args, cwd), cwd),
    see: ({ args }, { cwd }) => ({ tool_name: "file_head", path: pathOf(args, cwd) }),
  },
];

function pathOf(args: Call["args"], cwd: string): string {
  return resolve(cwd, String(args["path"] ?? ""));
}

/** Guards of later chibi releases, which can only deny. Source: spec/chibi.md 1.3. */
const permissions: readonly Point[] = asked.map(({ name, when, see }) =>
  point<"tool.before", object, Permission, Permission>({
    name,
    of: "tool.before",
    kind: "guard",
    fold: halt<Permission, Permission>({ name: "deny", by: isDenied, keep: answerOnly }, record({})),
    read: field({ denied: isBoolean, approved: isBoolean, reason: isString }),
    failed: (failure, hook) => (closes(failure, hook) ? { denied: true, reason: refusal(failure, hook) } : undefined),
    when,
    view: {
      get: see,
      put: (answer) => (isDenied(answer) ? { decision: "deny", reason: answer.reason ?? "Denied by hook" } : undefined),
    },
  }),
);

/** An answer about a sub-agent: `block` refuses to start it, `response` is used in place of its reply. */
interface Spawn {
  readonly block?: boolean;
  readonly message?: string;
  readonly response?: string;
}

const isBlocked = ({ block, response }: Spawn): boolean => block === true || response !== undefined;

/** Hook points of later chibi releases that fire here. Source: spec/chibi.md 1.3; chibi 0.10.10. */
export const newerPoints: readonly Point[] = [
  ...permissions,
  point<"agent.spawn", object, Spawn, Spawn>({
    name: "pre_spawn_agent",
    of: "agent.spawn",
    kind: "gate",
    fold: halt<Spawn, Spawn>({ name: "cancel", by: isBlocked, keep: answerOnly }, record({})),
    read: field({ block: isBoolean, message: isString, response: isString }),
    failed: (failure, hook) => (closes(failure, hook) ? { block: true, message: refusal(failure, hook) } : undefined),
    view: {
      get: ({ prompt, model }) => ({ system_prompt: "", input: prompt, model, temperature: null, max_tokens: null }),
      // The model reads the reason as an error, in place of the sub-agent's reply.
      put: (answer) =>
        isBlocked(answer)
          ? { cancel: true, reason: answer.response ?? answer.message ?? "Sub-agent call blocked by hook" }
          : undefined,
    },
  }),
  observed({
    name: "post_spawn_agent",
    of: "agent.done",
    see: ({ prompt, reply }, { model = "" }) => ({ system_prompt: "", input: prompt, model, response: reply }),
  }),
  observed({
    name: "post_tool_batch",
    of: "turn.end",
    when: ({ toolResults }) => toolResults.length > 0,
    see: ({ message }, scene) => ({
      context_name: contextName(scene),
      current_fallback: "call_user",
      tool_calls: (message.role === "assistant" ? message.content : []).flatMap((block) =>
        block.type === "toolCall" ? [{ name: toolName(block.name, scene), arguments: block.arguments }] : [],
      ),
    }),
  }),
];

function isDenied({ denied, approved }: Permission): boolean {
  return denied === true || approved === false;
}
