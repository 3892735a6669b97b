import { describe, expect, test } from "vitest";
import { missingVariables, resolveValue } from "../../src/provider/config-value.ts";

const env = { MY_KEY: "secret", name: "lower", EMPTY_KEY: "", PATH: process.env["PATH"] };

const braced = (name: string) => `$\{${name}}`;

describe("what a configured value stands for", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["the bare name of a variable", "MY_KEY", "secret"],
    ["a bare name in lower case that is set", "name", "lower"],
    ["a literal", "sk-abc123", "sk-abc123"],
    ["a word that is no variable", "ollama", "ollama"],
    ["a word in capitals that is no variable", "EMPTY", "EMPTY"],
    ["a name with a dollar", "$MY_KEY", "secret"],
    ["a name in braces inside a text", `Bearer ${braced("MY_KEY")}!`, "Bearer secret!"],
    ["an escaped dollar", "a$$b", "a$b"],
    ["an escaped exclamation mark", "$!literal", "!literal"],
    ["a dollar by itself", "5 $ more", "5 $ more"],
    ["the output of a command", "!printf ' out\\n'", "out"],
    ["a command sees the variables", '!printf "%s" "$MY_KEY"', "secret"],
    ["a command is not waited for on its input", "!cat; echo done", "done"],
  ];
  test.each(cases)("%s", async (_name, value, expected) => {
    expect(missingVariables(value, env)).toEqual([]);
    expect(await resolveValue(value, env)).toBe(expected);
  });
});

describe("a value that cannot be resolved says why", () => {
  const cases: readonly (readonly [string, string, readonly string[], string])[] = [
    ["a bare name that is not set", "OTHER_KEY", ["OTHER_KEY"], "OTHER_KEY is not set"],
    ["a variable that is empty", "$EMPTY_KEY", ["EMPTY_KEY"], "EMPTY_KEY is not set"],
    ["one of several", `${braced("MY_KEY")}:${braced("nope")}`, ["nope"], "nope is not set"],
    ["a command that fails", "!exit 3 # token", [], 'the command "exit" ended with 3'],
    ["a command without output", "!true", [], 'the command "true" printed nothing'],
  ];
  test.each(cases)("%s", async (_name, value, missing, text) => {
    expect(missingVariables(value, env)).toEqual(missing);
    await expect(resolveValue(value, env)).rejects.toThrow(text);
  });
});
