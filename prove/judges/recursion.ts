import type { EventName, LlmTransport } from "@hookline/runtime";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { samplePayload } from "@hookline/runtime/testing";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { placeFile } from "./place.ts";

/** Hook events with a judge, each with the catalog event that the session emits for it. */
const EVENTS: Readonly<Record<string, EventName>> = {
  pre_send_message: "prompt.before",
  pre_llm_request: "model.context",
  post_llm_response: "model.response",
  pre_tool_execution: "tool.before",
};

/** Ways in which a host's request to a model emits an event itself. */
const WAYS: Readonly<Record<string, (emit: () => Promise<unknown>) => Promise<unknown>>> = {
  "at once": (emit) => emit(),
  "after a turn of the microtasks": async (emit) => {
    await Promise.resolve();
    return emit();
  },
  "in a timer": (emit) => new Promise((resolve) => setTimeout(() => resolve(emit()), 1)),
  "in an immediate": (emit) => new Promise((resolve) => setImmediate(() => resolve(emit()))),
  "twice at once": (emit) => Promise.all([emit(), emit()]),
};

/** More requests than this count as an endless recursion. */
const MANY = 50;

/** Returns how often a model is asked if its host emits, for each request, an event that has a judge. */
async function asked(event: string, way: string, retry: number, sessions: number): Promise<number> {
  using home = placeFile(
    ".jdata/agent/hooks.yaml",
    `${event}:\n  - type: llm\n    prompt: judge\n    retry: ${retry}\n    on_error: skip\n`,
  );
  const runtime = createHookRuntime({ dialects: [jcli], home: home.path, env: {} });
  const opened: HookSession[] = [];
  const name = EVENTS[event] as EventName;
  const emitIn = (session: HookSession | undefined) => async () => session?.emit(name, samplePayload(name));
  let count = 0;
  const llmOf = (index: number): LlmTransport => ({
    async complete() {
      count += 1;
      if (count < MANY) await WAYS[way]?.(emitIn(opened[(index + 1) % sessions]));
      return { ok: true, text: "{}" };
    },
  });
  for (let index = 0; index < sessions; index++)
    opened.push(await runtime.open({ scene: { ...SCENE, sessionId: `s${index}` }, services: { llm: llmOf(index) } }));
  await emitIn(opened[0])();
  await runtime.close();
  return count;
}

/** Judges' own requests must not fire hooks, so a host whose requests fire hooks asks each session only once. */
export const recursion: Experiment = {
  id: "R44, judges that ask judges",
  async run(tally) {
    for (const event of Object.keys(EVENTS)) {
      for (const way of Object.keys(WAYS)) {
        for (const retry of [0, 2]) {
          for (const sessions of [1, 2]) {
            const times = await asked(event, way, retry, sessions);
            // If two events are emitted at once, each request reaches the other session.
            const most = sessions === 1 ? 1 : way === "twice at once" ? 3 : 2;
            const what = `${event}, ${way}, retry ${retry}, ${sessions} sessions`;
            tally.trial(times === most ? undefined : `${what}: the model was asked ${times} times, not ${most}`);
          }
        }
      }
    }
    tally.figure(`${Object.keys(EVENTS).length} events, ${Object.keys(WAYS).length} ways, 1 and 2 sessions`);
  },
};
