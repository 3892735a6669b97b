import type { Scenario } from "../scenario.ts";

/** Stream rules: one stops a reply, one is told with a call's result, one is asked of a judge. */
export const scenario: Scenario = {
  files: {
    ".hookline/rules/no-foo.md": "---\ncondition: foo\nscope: text\n---\nNever say the word.\n",
    ".hookline/rules/no-secrets.md":
      "---\ncondition: secret\nscope: tool:read\ninterruptMode: never\n---\nLeave secrets alone.\n",
    "secret.txt": "s\n",
  },
  replies: [
    { text: "I would say foo and then much more that nobody is going to read" },
    { text: "I would not.", toolCalls: [{ name: "read", arguments: { path: "secret.txt" } }] },
    { text: "foo once more, which the rule does not stop again" },
  ],
  async run({ agent }, recorder) {
    recorder.part("stopped, reminded, and told once only");
    await agent.prompt("Speak");
  },
};
