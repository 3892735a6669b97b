import type { Payload } from "../../catalog/catalog.ts";
import { isString } from "../../catalog/read.ts";
import type { Read } from "../../catalog/row.ts";
import { collect, first, last, record } from "../../fold/index.ts";
import type { LaneRow } from "../../hook/lane.ts";
import { isStrings, loose, reader } from "../inprocess/read.ts";
import { row } from "../row.ts";
import { entering, isMessagePayload, type MessagePayload } from "./message.ts";
import type { Limit } from "./told.ts";
import { edit } from "./views.ts";

interface HookAnswer {
  readonly message?: MessagePayload;
}

interface ExtensionAnswer extends HookAnswer {
  readonly systemPrompt?: readonly string[];
  /** Of an older pi, still used by one of omp's own examples: added behind the prompt. */
  readonly systemPromptAppend?: string;
}

interface ExtensionOutcome {
  readonly message?: readonly MessagePayload[];
  readonly systemPrompt?: readonly string[];
  readonly systemPromptAppend?: readonly string[];
}

type Start = Payload<"agent.before-start">;

const shown = ({ prompt, images }: Start) => ({
  type: "before_agent_start",
  prompt,
  ...(images !== undefined && { images }),
});

/** HookAPI: the first message counts, and all handlers run. */
export const hookStartRow: LaneRow = row<"agent.before-start", object, HookAnswer, HookAnswer>({
  name: "before_agent_start",
  of: "agent.before-start",
  kind: "transform",
  schedule: "all",
  fold: record<HookAnswer>({ message: first() }),
  read: loose<HookAnswer>({ message: isMessagePayload }),
  view: {
    get: shown,
    put: ({ message }) => (message === undefined ? undefined : { messages: [entering(message)] }),
  },
});

/** The system prompt is a list of blocks in omp and one text in hookline; the host's text is the only block. */
const blocks = ({ systemPrompt }: Start): readonly string[] => (systemPrompt === "" ? [] : [systemPrompt]);
const whole = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n\n");

const readParts = loose<{ message?: MessagePayload; systemPrompt?: string | string[]; systemPromptAppend?: string }>({
  message: isMessagePayload,
  systemPrompt: (value) => isString(value) || isStrings(value),
  systemPromptAppend: isString,
});

/** A prompt that is returned as one text is a list of one. */
const readStart: Read<ExtensionAnswer> = reader<ExtensionAnswer>((raw) => {
  const read = readParts(raw);
  if (!read.ok || typeof read.answer?.systemPrompt !== "string") return read as ReturnType<Read<ExtensionAnswer>>;
  return { ...read, answer: { ...read.answer, systemPrompt: [read.answer.systemPrompt] } };
});

/** ExtensionAPI: every message counts, and the system prompt is handed from one to the next. */
export function extensionStartRow(limit: Limit): LaneRow {
  return row<"agent.before-start", object, ExtensionAnswer, ExtensionOutcome>({
    name: "before_agent_start",
    of: "agent.before-start",
    kind: "transform",
    schedule: "all",
    fold: record<ExtensionAnswer, ExtensionOutcome>({
      message: collect(),
      systemPrompt: last(),
      systemPromptAppend: collect(),
    }),
    feeds: { systemPrompt: "chain" },
    read: readStart,
    ...limit,
    view: {
      get: (payload) => ({ ...shown(payload), systemPrompt: blocks(payload) }),
      put({ message, systemPrompt, systemPromptAppend = [] }, payload) {
        const prompt = whole([...(systemPrompt ?? blocks(payload)), ...systemPromptAppend]);
        return edit({
          messages: message?.map(entering),
          systemPrompt: prompt === payload.systemPrompt ? undefined : prompt,
        });
      },
    },
  });
}
