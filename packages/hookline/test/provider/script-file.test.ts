import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HooklineError } from "@hookline/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readScript } from "../../src/provider/models.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hookline-script-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, text: string) {
  await writeFile(join(folder, name), text);
  return readScript(join(folder, name));
}

async function failure(name: string, text: string): Promise<{ code: string; message: string; hint: string }> {
  const thrown: unknown = await read(name, text).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!HooklineError.isInstance(thrown)) throw new Error(`not refused: ${String(thrown)}`);
  return { code: thrown.code, message: thrown.message.replace(`${folder}/`, ""), hint: thrown.hint };
}

const example = `replies:                      # one per provider request
  - text: "Let me look."
    toolCalls: [{ name: bash, arguments: { command: "ls" } }]
  - text: "done"
    usage: { input: 1200, output: 12 }
  - error: { status: 529, message: "overloaded" }
  - when: { lastUserMatches: "review" }
    text: "…"
hookReplies:
  - { text: "{}", repeat: true, delayMs: 5, tokensPerSecond: 100, thinking: hm, stopReason: length }
`;

test("the documented example can be read", async () => {
  const script = await read("demo.yaml", example);
  expect(script.replies).toHaveLength(4);
  expect(script.replies[0]).toEqual({
    text: "Let me look.",
    toolCalls: [{ name: "bash", arguments: { command: "ls" } }],
  });
  expect(script.hookReplies?.[0]).toMatchObject({ repeat: true, stopReason: "length" });
});

test("a JSON file says the same as a YAML file", async () => {
  const script = await read("demo.yaml", example);
  expect(await read("demo.json", JSON.stringify(script))).toEqual(script);
});

describe("a broken file is refused with its line and what to do", () => {
  const cases: readonly (readonly [string, string, string, string, string])[] = [
    [
      "a misspelt key",
      "a.yaml",
      "replies:\n  - text: hi\n    tolCalls: []\n",
      'a.yaml:3: unknown key "tolCalls"',
      'Did you mean "toolCalls"?',
    ],
    ["no replies", "a.yaml", "hookReplies: []\n", 'a.yaml:1: the file has no "replies"', 'Add "replies".'],
    ["an empty file", "a.yaml", "", "a.yaml:1: the file must be a mapping, not nothing", "Correct the value."],
    [
      "a list at the top",
      "a.yaml",
      "- text: hi\n",
      "a.yaml:1: the file must be a mapping, not a list",
      "Correct the value.",
    ],
    [
      "a number for a text",
      "a.yaml",
      "replies:\n  - text: ok\n  - text: 42\n",
      'a.yaml:3: "text" must be text, not the number 42',
      "Put it in quotes.",
    ],
    [
      "a reply that is a text",
      "a.yaml",
      "replies:\n  - text: ok\n  - done\n",
      'a.yaml:3: entry 2 of "replies" must be a mapping, not this text',
      "Correct the value.",
    ],
    [
      "a call without a name",
      "a.yaml",
      "replies:\n  - toolCalls:\n      - arguments: {}\n",
      'a.yaml:3: entry 1 of "toolCalls" has no "name"',
      'Add "name".',
    ],
    [
      "both kinds of arguments",
      "a.yaml",
      "replies:\n  - toolCalls:\n      - { name: a, arguments: {}, argumentsRaw: x }\n",
      'a.yaml:3: a call has both "arguments" and "argumentsRaw"',
      "Keep one of the two.",
    ],
    [
      "a stop reason that does not exist",
      "a.yaml",
      "replies:\n  - stopReason: done\n",
      'a.yaml:2: "stopReason" must be one of stop, length, toolUse, not this text',
      "Correct the value.",
    ],
    [
      "a broken pattern",
      "a.yaml",
      "replies:\n  - text: x\n    when:\n      lastUserMatches: '('\n",
      'a.yaml:4: "lastUserMatches" is not a regular expression: /(/u: Unterminated group',
      "Correct the pattern.",
    ],
    [
      "a misspelt key in JSON",
      "a.json",
      '{\n  "replies": [\n    { "txt": "hi" }\n  ]\n}\n',
      'a.json:3: unknown key "txt"',
      'Did you mean "text"?',
    ],
  ];
  test.each(cases)("%s", async (_what, name, text, message, hint) => {
    expect(await failure(name, text)).toEqual({ code: "BAD_ENTRY", message, hint });
  });

  test("YAML that cannot be read", async () => {
    const found = await failure("a.yaml", 'replies:\n  - text: "open\n  - text: b\n');
    expect(found.code).toBe("SYNTAX");
    expect(found.message).toBe('a.yaml:4: Missing closing "quote');
    expect(found.message).not.toContain("\n");
  });

  test("JSON that cannot be read", async () => {
    const found = await failure("a.json", '{\n  "replies": [,]\n}');
    expect(found.code).toBe("SYNTAX");
    expect(found.message).toBe('a.json:2: a value is expected before ","');
  });

  test("a file that is not there", async () => {
    const thrown = await readScript(join(folder, "none.yaml")).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "UNREADABLE" });
    expect(String(thrown)).toContain("none.yaml could not be read");
  });
});
