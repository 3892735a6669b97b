import type { Payload } from "@hookline/runtime";
import { answerOnly, field, halt, isString, record } from "@hookline/runtime/dialect";
import { closes, type Point, point, refusal } from "./point.ts";
import { isBoolean } from "./reads.ts";

/**
 * Points of later releases that this host has no moment for. Registering one is reported.
 * Source: spec/chibi.md 1.3.
 */
export const NEVER_FIRING: ReadonlySet<string> = new Set([
  "pre_agentic_loop",
  "post_tool_batch",
  "pre_file_read",
  "pre_fetch_url",
  "pre_spawn_agent",
  "post_spawn_agent",
  "post_index_file",
  "pre_vfs_write",
  "post_vfs_write",
]);

/** A permission answer: `denied` today, `approved: false` in the releases before. */
interface Permission {
  readonly denied?: boolean;
  readonly approved?: boolean;
  readonly reason?: string;
}

type Call = Payload<"tool.before">;

interface Asked {
  readonly name: string;
  when(call: Call): boolean;
  see(call: Call): object;
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
];

/** Deny-only guards of later releases. Source: spec/chibi.md 1.3. */
export const newerPoints: readonly Point[] = asked.map(({ name, when, see }) =>
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

function isDenied({ denied, approved }: Permission): boolean {
  return denied === true || approved === false;
}
