import type { LaneRow } from "@hookline/runtime/dialect";
import { answerOnly, first, halt, last, record, row } from "@hookline/runtime/dialect";
import { type Content, type Failure, jsonKind, notAnAnswer } from "@hookline/runtime/engine";
import { ownOf, property, reader } from "../../in-process/rows.ts";
import { readUserBash, type UserBashAnswer } from "./shell.ts";
import { HANDLER_MS, told } from "./told.ts";
import { type InputAnswer, inputView, isHandled } from "./views.ts";

/** Reads an `input` answer by its `action`. An action that is not listed here has no effect and is reported. */
const actions: Readonly<Record<string, (raw: object) => InputAnswer | undefined>> = {
  continue: () => undefined,
  handled: () => ({ handled: true }),
  transform(raw) {
    const text = property(raw, "text");
    const images = ownOf(raw, "images");
    if (typeof text !== "string") throw new TypeError(`a transform needs text, not ${jsonKind(text)}`);
    if (images !== undefined && !Array.isArray(images))
      throw new TypeError(`images must be a list, not ${jsonKind(images)}`);
    return { text, ...(images !== undefined && { images: images as readonly Content[] }) };
  },
};

const NO_ACTION = `it is none of ${Object.keys(actions).join(", ")}`;

const readInput = reader<InputAnswer>((raw) => {
  if (!raw) return { ok: true, answer: undefined };
  const action = typeof raw === "object" ? property(raw, "action") : undefined;
  const read = typeof action === "string" && Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (read === undefined) {
    const odd = typeof raw === "object" ? { field: "action", problem: NO_ACTION } : notAnAnswer(raw);
    return { ok: true, answer: undefined, odd: [odd] };
  }
  try {
    return { ok: true, answer: read(raw) };
  } catch (thrown) {
    return { ok: false, problem: (thrown as TypeError).message };
  }
});

/** The rows for texts that the user submits, the user's shell commands, dialogs, and changes of the MCP servers. */
export const submitRows: readonly LaneRow[] = [
  row({
    name: "input",
    of: "input",
    kind: "transform",
    schedule: "series",
    fold: halt<InputAnswer, InputAnswer>(
      { name: "handled", by: isHandled, keep: answerOnly },
      record<InputAnswer>({ text: last(), images: last() }),
    ),
    feeds: { text: "chain", images: "chain" },
    read: readInput,
    timeoutMs: HANDLER_MS,
    view: inputView,
  }),
  row({
    name: "user_bash",
    of: "shell.user",
    kind: "gate",
    schedule: "series",
    fold: first<UserBashAnswer>(),
    read: readUserBash,
    // A handler may run commands elsewhere, such as in a container. If it fails, the command must not run here.
    failed: ({ message }: Failure) => ({ cancel: message }),
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ command, excludeFromContext, cwd }) => ({ type: "user_bash", command, excludeFromContext, cwd }),
      put: (outcome) => outcome,
    },
  }),
  told("ui_prompt_start", "ui.prompt-start", (p) => ({ reason: "ui_prompt", ...p })),
  told("mcp_servers_change", "mcp.change", (p) => ({ ...p })),
  told("ui_prompt_end", "ui.prompt-end", (p) => ({ reason: "ui_prompt", ...p })),
];
