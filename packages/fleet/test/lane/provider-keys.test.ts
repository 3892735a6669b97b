import { homedir } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutProviderKeys } from "../../src/lane/provider-keys.ts";

const KEY = "sk-1234567890abcdef";
const env = { OPENAI_API_KEY: KEY, HOME: homedir(), EDITOR: undefined };

test("a provider's key never leaves the machine, wherever it occurs", () => {
  const given = { args: { command: `curl -H "Bearer ${KEY}"`, list: [{ [KEY]: `\n${KEY}` }, 1, null, true] } };
  const sent = withoutProviderKeys(given, env);
  expect(JSON.stringify(sent)).not.toContain(KEY);
  expect(sent).toEqual({
    args: {
      command: 'curl -H "Bearer [provider key]"',
      list: [{ "[provider key]": "\n[provider key]" }, 1, null, true],
    },
  });
});

test("everything else is sent as it is", () => {
  const other = { command: `echo AKIAABCDEFGHIJKLMNOP in ${homedir()}` };
  expect(withoutProviderKeys(other, env)).toEqual(other);
  expect(withoutProviderKeys({ command: KEY }, { OPENAI_API_KEY: "" })).toEqual({ command: KEY });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(withoutProviderKeys(value, env)).toEqual(value);
    }),
  );
});
