import type { Scenario } from "../scenario.ts";

const list = (status: string) => ({
  toolCalls: [{ name: "todo", arguments: { todos: [{ content: "write the test", status }] } }],
});

/** The model stops with open todos and is reminded, as often as the settings allow. */
export const scenario: Scenario = {
  args: ["--tools", "todo"],
  settings: { todo: { remindersMax: 2 } },
  replies: [
    list("pending"),
    { text: "I stop." },
    { text: "Shall I go on?" },
    { text: "I stop again." },
    list("completed"),
    { text: "All done." },
    { text: "Nothing is open." },
  ],
  async run({ agent }, recorder) {
    recorder.part("a reminder, then a question to the person");
    await agent.prompt("Plan");
    recorder.part("the next prompt is reminded anew");
    await agent.prompt("Yes");
    recorder.part("with an empty list");
    await agent.prompt("Bye");
  },
};
