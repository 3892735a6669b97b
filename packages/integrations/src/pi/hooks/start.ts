import type { Answer, Message, Payload } from "@hookline/runtime";
import { type CustomMessage, cloneShell, equal, type PromptOptions, type PromptParts } from "@hookline/runtime/engine";
import { changes } from "./views.ts";

/** The changes that `before_agent_start` handlers make to a run. */
export interface BeforeAgentStartOutcome {
  readonly message?: readonly Omit<CustomMessage, "role" | "timestamp">[];
  readonly systemPrompt?: string;
  /** The edited options of the system prompt; set only if a handler edited them in place. */
  readonly systemPromptOptions?: PromptOptions;
}

/** The key of the prompt's parts in an event. As a symbol, it is hidden from extensions. */
const made = Symbol("hookline.prompt");

interface Event {
  readonly systemPrompt: string;
  readonly systemPromptOptions: PromptOptions;
  readonly [made]?: PromptParts;
}

type Start = Payload<"agent.before-start">;

/** The view of `before_agent_start`: the start of a run in pi's form, and the hooks' changes to prompt and messages. */
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
    // A system prompt that a handler returned replaces the whole prompt, including the parts made from the options.
    const systemPrompt = outcome.systemPrompt ?? (options && rendered(payload.systemPrompt, promptParts, options));
    const prompt = changes(systemPrompt === undefined ? {} : { systemPrompt }, payload, ["systemPrompt"]);
    const selected = options?.selectedTools;
    const activeTools = equal(selected, promptParts?.options.selectedTools) ? undefined : selected;
    const edit = { ...(messages && { messages }), ...prompt, ...(activeTools && { activeTools: [...activeTools] }) };
    return Object.keys(edit).length > 0 ? edit : undefined;
  },
};

/**
 * Makes the event's `systemPrompt` a getter that renders it from the current options, as pi does. A prompt that a
 * handler has set stays unchanged.
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

/** Renders the options again and replaces their old rendering in a prompt, if the prompt still contains it. */
function rendered(prompt: string, { options, render }: PromptParts, now: PromptOptions): string {
  if (equal(options, now)) return prompt;
  const before = render(options);
  return prompt.includes(before) ? prompt.replace(before, () => render(now)) : prompt;
}

/** Returns the system prompt's options for a host that does not provide the parts of its prompt. */
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

/** Converts a hook's message to the form in which it is added to the conversation. */
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
