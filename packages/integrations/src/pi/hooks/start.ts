import type { Answer, Message, Payload } from "@hookline/runtime";
import { type CustomMessage, cloneShell, equal, type PromptOptions, type PromptParts } from "@hookline/runtime/engine";
import { changes } from "./views.ts";

/** The additions of `before_agent_start` handlers to a run. */
export interface BeforeAgentStartOutcome {
  readonly message?: readonly Omit<CustomMessage, "role" | "timestamp">[];
  readonly systemPrompt?: string;
  /** Only from edits in place. */
  readonly systemPromptOptions?: PromptOptions;
}

/** Where an event keeps how its prompt is put together; a symbol, so that extensions do not see it. */
const made = Symbol("hookline.prompt");

interface Event {
  readonly systemPrompt: string;
  readonly systemPromptOptions: PromptOptions;
  readonly [made]?: PromptParts;
}

type Start = Payload<"agent.before-start">;

/** `before_agent_start`: the start of a run as pi shows it, and its hooks' changes to prompt and messages. */
export const beforeAgentStartView = {
  get: ({ prompt, images, message, systemPrompt, promptParts }: Start, scene: { readonly cwd: string }) => ({
    type: "before_agent_start",
    ...(message === undefined
      ? { messageType: "user", prompt, ...(images !== undefined && { images }) }
      : { messageType: "custom", message }),
    systemPrompt,
    systemPromptOptions: promptParts?.options ?? noOptions(scene.cwd),
    ...(promptParts !== undefined && { [made]: promptParts }),
  }),
  put(outcome: BeforeAgentStartOutcome, payload: Start): Answer<"agent.before-start"> | undefined {
    const { promptParts } = payload;
    const messages = outcome.message?.map(customMessage);
    const options = promptParts && outcome.systemPromptOptions;
    // A returned prompt is the whole prompt, whatever it was built from.
    const systemPrompt = outcome.systemPrompt ?? (options && rendered(payload.systemPrompt, promptParts, options));
    const prompt = changes(systemPrompt === undefined ? {} : { systemPrompt }, payload, ["systemPrompt"]);
    const selected = options?.selectedTools;
    const activeTools = equal(selected, promptParts?.options.selectedTools) ? undefined : selected;
    const edit = { ...(messages && { messages }), ...prompt, ...(activeTools && { activeTools: [...activeTools] }) };
    return Object.keys(edit).length > 0 ? edit : undefined;
  },
};

/**
 * Lets an event show the prompt as its current options build it, as pi does. A prompt that a handler has returned stays
 * unchanged.
 */
export function showPrompt(event: unknown): void {
  const { systemPrompt, systemPromptOptions, [made]: parts } = event as Event;
  if (parts === undefined) return;
  const set = (value: unknown): void => {
    Object.defineProperty(event, "systemPrompt", { value, writable: true, enumerable: true, configurable: true });
  };
  const get = (): string => rendered(systemPrompt, parts, systemPromptOptions);
  Object.defineProperty(event, "systemPrompt", { get, set, enumerable: true, configurable: true });
}

/** A prompt with the part built from the options replaced by the current one, if that part is still in it. */
function rendered(prompt: string, { options, render }: PromptParts, now: PromptOptions): string {
  if (equal(options, now)) return prompt;
  const before = render(options);
  return prompt.includes(before) ? prompt.replace(before, () => render(now)) : prompt;
}

/** The options for a host that does not provide its prompt's parts. */
export function noOptions(cwd: string): PromptOptions {
  return {
    cwd,
    selectedTools: [],
    toolSnippets: {},
    toolGuidelines: {},
    promptGuidelines: [],
    appendSystemPrompt: "",
    sections: {},
    contextFiles: [],
    skills: [],
  };
}

/** A hook's message as it enters the conversation. */
function customMessage({ customType, content, display, details }: Omit<CustomMessage, "role" | "timestamp">): Message {
  return {
    role: "custom",
    customType,
    content: cloneShell(content),
    display: Boolean(display),
    ...(details !== undefined && { details }),
    timestamp: Date.now(),
  };
}
