import type { Scenario } from "../scenario.ts";

/** Passing errors are repeated, each attempt a run of its own; lasting ones are not. */
export const scenario: Scenario = {
  settings: { retry: { baseDelayMs: 1, maxRetries: 2 } },
  replies: [
    { error: { status: 529, message: "overloaded" } },
    { error: { status: 529, message: "overloaded" } },
    { text: "third time lucky" },
    { error: { status: 529, message: "overloaded" } },
    { error: { status: 529, message: "overloaded" } },
    { error: { status: 529, message: "overloaded" } },
    { error: { status: 400, message: "no such thing" } },
  ],
  async run({ agent }, recorder) {
    recorder.part("two errors, then a reply");
    await agent.prompt("Try");
    recorder.part("more errors than attempts");
    await agent.prompt("Try again");
    recorder.part("an error that lasts");
    await agent.prompt("Once more");
  },
};
