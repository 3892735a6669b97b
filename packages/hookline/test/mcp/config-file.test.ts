import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readServerFile, type ServerEntry } from "../../src/mcp/config-file.ts";
import { expanded, variablesIn } from "../../src/mcp/expand.ts";
import { askForm } from "../../src/mcp/form.ts";
import { argumentsOf } from "../../src/mcp/prompt.ts";
import { makeFolder } from "../tool/folder.ts";

const variable = (name: string): string => `$\{${name}}`;

function read(text: string, tier: "user" | "project" = "project"): { entries: readonly ServerEntry[]; said: string[] } {
  const path = join(makeFolder(), "mcp.json");
  writeFileSync(path, text);
  const diagnostics: Diagnostic[] = [];
  const entries = readServerFile({ path, tier }, (one) => diagnostics.push(one));
  return { entries, said: diagnostics.map(({ message }) => message.slice(message.indexOf("mcp.json"))) };
}

test("a bad entry is named with its line and affects no other", () => {
  const { entries, said } = read(`{
  "mcpServers": {
    "good": { "command": "npx", "args": ["-y", "server"], "env": { "T": "${variable("TOKEN")}" } },
    "both": { "command": "a", "url": "https://example.com/" },
    "old": { "type": "sse", "url": "https://example.com/" },
    "odd": { "command": "a", "args": [1] },
    "plain": { "url": "http://example.com/" },
    "key": { "command": "a", "env": { "K": "${variable("ANTHROPIC_API_KEY")}" } },
    "load": { "command": "a", "env": { "LD_PRELOAD": "x.so" } },
    "more": { "command": "a", "alwaysAllow": [] },
    "web": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer ${variable("TOKEN")}" }, "timeout": 5000 }
  }
}`);
  expect(entries.filter(({ definition }) => definition !== undefined).map(({ name }) => name)).toEqual([
    "good",
    "more",
    "web",
  ]);
  expect(entries[0]?.definition?.variables).toEqual(["TOKEN"]);
  expect(said.map((line) => line.slice(0, 60))).toEqual([
    'mcp.json:4: the server "both": it needs either a command or ',
    'mcp.json:5: the server "old": type "sse" is the transport fr',
    'mcp.json:6: the server "odd": args must be a list of texts',
    'mcp.json:7: the server "plain": example.com would be asked w',
    'mcp.json:8: the server "key": it names $ANTHROPIC_API_KEY, t',
    'mcp.json:9: the server "load": its env sets LD_PRELOAD, whic',
    'mcp.json:10: unknown key "alwaysAllow"',
  ]);
});

test("in a person's own file an unknown key is a mistake, and provider keys are allowed", () => {
  const { entries, said } = read(
    `{"mcpServers": {"a": {"command": "a", "arg": []}, "b": {"command": "b", "env": {"K": "${variable("OPENAI_API_KEY")}"}}}}`,
    "user",
  );
  expect(entries.map(({ definition }) => definition !== undefined)).toEqual([false, true]);
  expect(said).toEqual([expect.stringContaining('unknown key "arg"')]);
});

test.each([
  ["", "mcp.json:1: "],
  ["[]", 'it has no object "mcpServers"'],
  ['{"servers": {}}', 'it has no object "mcpServers"'],
  ['{"mcpServers": {"a": 1}}', "it is not an object"],
])("a file that holds %s is told", (text, says) => {
  const { entries, said } = read(text);
  expect(entries.every(({ definition }) => definition === undefined)).toBe(true);
  expect(said.join()).toContain(says);
});

test("any JSON in place of an entry is an entry or a named mistake", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (servers) => {
      const { entries, said } = read(JSON.stringify({ mcpServers: servers }));
      const names = new Set(Object.keys(JSON.parse(JSON.stringify(servers)) as object));
      expect(entries.filter(({ definition }) => definition === undefined).length).toBeLessThanOrEqual(said.length);
      expect(entries.length).toBe([...names].filter((name) => name !== "__proto__").length);
    }),
    { numRuns: 60 },
  );
});

test("variables are filled in everywhere, once; a default stands in for one that is unset or empty", () => {
  const definition = {
    name: "a",
    command: variable("A"),
    args: [`x${variable("B:-d")}`, variable("C"), "$A"],
    headers: { H: `${variable("A")}${variable("E:-e")}` },
  };
  expect(variablesIn(definition)).toEqual(["A", "B", "C", "E"]);
  const { definition: filled, unset } = expanded(definition, { A: variable("C"), E: "" });
  expect(filled).toMatchObject({ command: variable("C"), args: ["xd", "", "$A"], headers: { H: `${variable("C")}e` } });
  expect(unset).toEqual(["C"]);
});

test("the text after a prompt's name becomes its arguments", () => {
  const prompt = { name: "p", arguments: [{ name: "who", required: true }, { name: "how" }] };
  expect(argumentsOf(prompt, 'Ann "very well" indeed')).toEqual({ who: "Ann", how: "very well indeed" });
  expect(argumentsOf(prompt, "how=well Ann")).toEqual({ who: "Ann", how: "well" });
  expect(() => argumentsOf(prompt, "")).toThrow("The prompt p needs who");
});

test("a server's question is asked field by field, with its name and without escape sequences", async () => {
  const asked: string[] = [];
  const answers: (string | undefined)[] = ["Answer", "Ann", "large", "x", "9", "Yes", ""];
  const next = async (title: string): Promise<string | undefined> => {
    asked.push(title);
    return answers.shift();
  };
  const schema = {
    properties: {
      name: { type: "string", title: "Your \u001b[31mname" },
      size: { type: "string", enum: ["s", "l"], enumNames: ["small", "large"] },
      age: { type: "integer" },
      sure: { type: "boolean" },
      note: { type: "string", default: "none" },
    },
    required: ["name"],
  };
  const form = { server: "ev\u0007il", message: "Who?\u001b[2J", schema, signal: new AbortController().signal };
  expect(await askForm({ select: next, input: next }, form)).toEqual({
    action: "accept",
    content: { name: "Ann", size: "l", age: 9, sure: true, note: "none" },
  });
  expect(asked[0]).toBe('MCP server "evil" asks: Who?');
  expect(asked).toContain('MCP server "evil": age (it must be a whole number)');
  expect(asked.join()).not.toContain("\u001b");
  const declined = async () => "Decline";
  expect(await askForm({ select: declined }, form)).toEqual({ action: "decline" });
  expect(await askForm({}, form)).toEqual({ action: "cancel" });
});
