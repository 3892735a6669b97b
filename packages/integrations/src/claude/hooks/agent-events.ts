import type { LaneRow } from "@hookline/runtime/dialect";
import { edit } from "@hookline/runtime/engine";
import { concurrent } from "./cells.ts";
import type { MomentName } from "./fields.ts";
import { agentTranscriptPath } from "./transcript.ts";
import { event, joined, putStop } from "./views.ts";

/** The events of sub-agents and of an agent's todo list. Source: spec/claude.md 6. */
export const agentRows: readonly LaneRow[] = [
  concurrent({
    name: "SubagentStart",
    of: "agent.spawned",
    kind: "transform",
    reads: ["additionalContext"],
    view: {
      get: (_, scene) => event("SubagentStart", scene, {}),
      put: ({ additionalContext }) => edit({ additionalContext: joined(additionalContext) }),
    },
  }),
  concurrent({
    name: "SubagentStop",
    of: "agent.done",
    kind: "control",
    reads: ["block", "additionalContext", "halt"],
    view: {
      get: ({ reply, stopHookActive }, scene) =>
        event("SubagentStop", scene, {
          agent_transcript_path: agentTranscriptPath(scene),
          stop_hook_active: stopHookActive,
          last_assistant_message: reply,
        }),
      put: putStop,
    },
  }),
  taskRow("TaskCreated", "task.created"),
  taskRow("TaskCompleted", "task.completed"),
];

/** Makes the row of an event that fires before an item of the todo list changes. */
function taskRow(name: MomentName, of: "task.created" | "task.completed"): LaneRow {
  return concurrent({
    name,
    of,
    kind: "gate",
    reads: ["block", "halt"],
    view: {
      get: ({ id, subject }, scene) => event(name, scene, { task_id: id, task_subject: subject }),
      put: ({ block, halt }) =>
        edit({ ...(block !== undefined && { cancel: true as const, reason: joined(block) ?? "" }), halt }),
    },
  });
}
