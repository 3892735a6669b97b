import type { Scenario } from "../scenario.ts";

const gates = new Map<string, PromiseWithResolvers<void>>();
const gate = (name: string): PromiseWithResolvers<void> => {
  const known = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, known);
  return known;
};
Object.assign(globalThis, { hooklineGate: (name: string) => gate(name).promise });

const extension = `
export default function (pi) {
  pi.registerTool({
    name: "step",
    description: "waits for its turn",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    async execute(id, { name }, signal, onUpdate) {
      onUpdate({ content: [{ type: "text", text: "waiting" }] });
      await globalThis.hooklineGate(name);
      return { content: [{ type: "text", text: name }] };
    },
  });
}
`;
const step = (name: string) => ({ name: "step", arguments: { name } });

/** Three calls of one reply: judged in order, run together, finished as they are ready, recorded in order. */
export const scenario: Scenario = {
  files: { ".pi/extensions/step.ts": extension },
  replies: [{ toolCalls: [step("first"), step("second"), step("third")] }, { text: "All three." }],
  async run({ agent, hooks }, recorder) {
    const order: Readonly<Record<string, string>> = { call_3: "first", call_1: "second" };
    hooks.on("tool.done", ({ toolCallId }) => {
      const next = order[toolCallId];
      if (next !== undefined) gate(next).resolve();
      return undefined;
    });
    gate("third").resolve();
    recorder.part("three calls side by side, of which the last ends first");
    await agent.prompt("Do three things");
  },
};
