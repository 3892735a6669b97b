import { expect, test } from "vitest";
import { has } from "../support/seeds.ts";
import { Sitting } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

const SIZES = [
  ["80×24", SMALL],
  ["120×40", LARGE],
] as const;

const MARKDOWN = `# Title

Some **bold** and \`code\`, and a [link](https://example.com).

\`\`\`ts
const answer: number = 42; // of course
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

- one
- two`;

test.each(SIZES)(
  "the first screen says what was found, how to choose a model and where hooks come from (%s)",
  async (_, size) => {
    await using sitting = await Sitting.start({ size });
    expect(await sitting.screen()).toMatchSnapshot();
  },
);

test.each(SIZES)("a reply is markdown, with its thinking before it (%s)", async (_, size) => {
  const replies = [{ thinking: "The person wants to see markdown.", text: MARKDOWN }];
  await using sitting = await Sitting.start({ size, replies });
  sitting.say("show me");
  await sitting.terminal.until("two");
  expect(await sitting.screen()).toMatchSnapshot();
});

test("code has the colours of its language", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "```ts\nconst a = 1; // b\n```" }] });
  sitting.say("code");
  await sitting.terminal.until("const a");
  await sitting.terminal.settled();
  const lines = (await sitting.screen({ styles: true })).split("\n");
  expect(lines.filter((line) => line.includes("const"))).toMatchSnapshot();
});

test("thinking can be hidden and comes back", async () => {
  await using sitting = await Sitting.start({ replies: [{ thinking: "deep thought", text: "So." }] });
  sitting.say("think");
  await sitting.terminal.until("So.");
  expect(await sitting.screen()).toContain("deep thought");
  sitting.terminal.press("ctrl+t");
  expect(await sitting.screen()).toContain("Thinking...");
  expect(await sitting.screen()).not.toContain("deep thought");
  sitting.terminal.press("ctrl+t");
  expect(await sitting.screen()).toContain("deep thought");
});

test.each(SIZES)(
  "tool calls show their main argument, part of the result, and a diff for an edit (%s)",
  async (_, size) => {
    const replies = [
      {
        text: "I look, then I change it.",
        toolCalls: [
          { name: "bash", arguments: { command: "seq 1 30" } },
          { name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "two", newText: "zwei" }] } },
          { name: "read", arguments: { path: "gone.txt" } },
        ],
      },
      { text: "Done." },
    ];
    await using sitting = await Sitting.start({ size, replies, files: { "a.txt": "one\ntwo\nthree\n" } });
    sitting.say("go");
    await sitting.terminal.until("Done.");
    expect(sitting.redacted(await sitting.terminal.history())).toMatchSnapshot();
  },
);

test("calls with the same id are shown each with its own result", async () => {
  const call = (word: string) => ({ id: "call_0", name: "bash", arguments: { command: `expr length ${word}` } });
  const replies = [{ toolCalls: [call("a"), call("four")] }, { toolCalls: [call("seventh")] }, { text: "Done." }];
  await using sitting = await Sitting.start({ replies });
  sitting.say("go");
  await sitting.terminal.until("Done.");
  expect(await sitting.screen()).toMatch(/length a\s+1\s[\s\S]*length four\s+4\s[\s\S]*length seventh\s+7\s/);
});

test("a compaction that fails is reported once", async () => {
  await using sitting = await Sitting.start();
  sitting.say("/compact");
  const screen = await sitting.terminal.until("Nothing to compact");
  expect(screen.split("Nothing to compact")).toHaveLength(2);
  sitting.say("/session");
  expect((await sitting.terminal.until("Messages: 0")).split("Nothing to compact")).toHaveLength(2);
});

test("results are shown in full and in part again", async () => {
  const replies = [{ toolCalls: [{ name: "bash", arguments: { command: "seq 1 15" } }] }, { text: "Done." }];
  await using sitting = await Sitting.start({ size: LARGE, replies });
  sitting.say("go");
  await sitting.terminal.until("Done.");
  expect(await sitting.screen()).toMatch(/10 earlier lines[\s\S]*15/);
  sitting.terminal.press("ctrl+o");
  expect(await sitting.screen()).toMatch(/\b1\s+2\s+3\s/);
  sitting.terminal.press("ctrl+o");
  expect(await sitting.screen()).toContain("10 earlier lines");
});

test("commands of the person run beside the model, doubled they stay out of the context", async () => {
  await using sitting = await Sitting.start();
  sitting.say("!echo out; exit 3");
  await sitting.terminal.until("(exit 3)");
  sitting.say("!!echo aside");
  await sitting.terminal.until("not in the context");
  expect(await sitting.screen()).toMatchSnapshot();
});

test.skipIf(!has("python3"))("a line of Python shows its value", async () => {
  await using sitting = await Sitting.start();
  sitting.say("$ 6 * 7");
  await sitting.terminal.until(/\n 42/);
});

test("text typed while the model works steers it, or follows with Alt+Enter; both are shown and can be taken back", async () => {
  const replies = [
    { text: "slow", delayMs: 60_000 },
    { text: "later", repeat: true },
  ];
  await using sitting = await Sitting.start({ replies });
  const { terminal } = sitting;
  sitting.say("begin");
  await terminal.until("Working");
  sitting.say("turn left");
  terminal.type("then stop");
  terminal.press("alt+enter");
  const shown = await terminal.until("follows");
  expect(shown).toContain("steers: turn left");
  expect(shown).toContain("follows: then stop");
  terminal.feed("\x1b[1;3A");
  await terminal.until((screen) => !screen.includes("steers:"));
  expect(terminal.text()).toMatch(/turn left\s+then stop/);
  terminal.press("escape");
  await terminal.until("Operation aborted");
});

test("Escape ends the run, and waiting texts return to the editor", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "slow", delayMs: 60_000 }, { text: "next" }] });
  const { terminal } = sitting;
  sitting.say("begin");
  await terminal.until("Working");
  sitting.say("and more");
  await terminal.until("steers: and more");
  terminal.press("escape");
  await terminal.until("Operation aborted");
  await sitting.idle();
  expect(await sitting.screen()).toMatchSnapshot();
});

test("a long paste is folded in the editor and reaches the model whole", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "read it" }] });
  const { terminal } = sitting;
  const pasted = Array.from({ length: 30 }, (_, i) => `pasted line ${i}`).join("\n");
  terminal.type("look: ");
  terminal.paste(pasted);
  expect(await terminal.until("[paste #1")).not.toContain("pasted line 3");
  terminal.press("enter");
  await terminal.until("read it");
  expect(await terminal.history()).toContain("pasted line 29");
});

test("the last message comes back with Up", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "first answer" }] });
  sitting.say("remember me");
  await sitting.terminal.until("first answer");
  sitting.terminal.press("up");
  const lines = (await sitting.screen()).split("\n");
  expect(lines.filter((line) => line.includes("remember me"))).toHaveLength(2);
});

test("Ctrl+C clears the editor and twice ends hookline; the terminal is given back", async () => {
  await using sitting = await Sitting.start();
  const { terminal } = sitting;
  terminal.type("draft");
  terminal.press("ctrl+c");
  await terminal.until((screen) => !screen.includes("draft"));
  terminal.press("ctrl+c");
  expect(await sitting.code).toBe(0);
  await terminal.settled();
  expect([terminal.started, terminal.stopped, terminal.alternate, terminal.cursor.visible]).toEqual([
    1,
    1,
    false,
    true,
  ]);
});

test("output of hooks and modules is shown in the chat and never between its lines", async () => {
  const noisy = `export default function (pi) {
    pi.on("session_start", () => { process.stdout.write("loud \\x1b[2Jmodule\\n"); process.stderr.write("and its stderr\\n"); });
  }`;
  await using sitting = await Sitting.start({ files: { "~/.pi/agent/extensions/noisy.ts": noisy } });
  const screen = await sitting.terminal.until("and its stderr");
  expect(screen).toContain("loud module");
  expect(screen).toContain("hookline");
});

test("a narrow terminal cuts lines that do not fit, and a wider one shows them again", async () => {
  await using sitting = await Sitting.start({ size: { columns: 28, rows: 16 }, replies: [{ text: MARKDOWN }] });
  sitting.say("narrow");
  await sitting.terminal.until("two");
  expect(await sitting.screen()).toMatchSnapshot("28 columns");
  sitting.terminal.resize(SMALL);
  expect(await sitting.screen()).toMatchSnapshot("80 columns");
});

test("a hook that fails is told in the colour of a warning", async () => {
  const files = { "~/.jdata/agent/hooks.yaml": "pre_send_message:\n  - command: exit 3\n    timout: 5\n" };
  await using sitting = await Sitting.start({ files, replies: [{ text: "Fine." }] });
  sitting.say("go");
  await sitting.terminal.until(/Fine\./);
  const styled = await sitting.screen({ styles: true });
  const [, failure] = /‹([^:]*):⚠ ~\/\.jdata\/agent\/hooks\.yaml:2 failed \(exit 3\)/.exec(styled) ?? [];
  expect(failure).toBe(/‹([^:]*):! warning: /.exec(styled)?.[1]);
});

test("NO_COLOR keeps bold text and removes colours", async () => {
  await using sitting = await Sitting.start({ env: { NO_COLOR: "1" }, replies: [{ text: MARKDOWN }] });
  sitting.say("plain");
  await sitting.terminal.until("two");
  const styled = await sitting.screen({ styles: true });
  expect(styled).toContain("‹b:");
  expect(styled).not.toMatch(/‹[^:›]*#/);
});

test("prompts of the command line are asked first", async () => {
  await using sitting = await Sitting.start({ args: ["say hello"], replies: [{ text: "Hello!" }] });
  await sitting.terminal.until("Hello!");
  expect(sitting.terminal.text()).toContain("say hello");
  await sitting.leave();
  expect(sitting.out).toMatch(/^To continue this session: hookline --resume [\w-]+\n$/);
});

test("a session that could not be written is not offered at the end", async () => {
  const files = { "~/.hookline/sessions": "no folder" };
  await using sitting = await Sitting.start({ args: ["say hello"], replies: [{ text: "Hello!" }], files });
  await sitting.terminal.until("Hello!");
  await sitting.leave();
  expect(sitting.out).toBe("");
});
