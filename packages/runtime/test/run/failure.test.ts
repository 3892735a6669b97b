import { expect, test } from "vitest";
import { failureTold } from "../../src/run/failure.ts";

const told = (stderr: string) =>
  failureTold({ cause: "exited", message: "exit code 3" }, { moment: "tool.before", effect: "went on", stderr });

test.each([
  ["", undefined],
  ["\n \n", undefined],
  ["one\ntwo\n", "two"],
  ["one\r\ntwo\r\n\r\n", "two"],
  ["a.mjs:1\nthrow 1\n^\n\nError: no server\n    at a (b:1:1)\n    at c\n\nNode.js v24.21.0\n", "Error: no server"],
  ['Traceback:\n  File "a.py"\nValueError: bad\n', "ValueError: bad"],
  ["x".repeat(500), `${"x".repeat(200)}…`],
])("of %j the last words are kept", (stderr, said) => {
  expect(told(stderr).said).toBe(said);
});

test("no record contains a hook's words", () => {
  expect(JSON.stringify({ ...told("secret") })).toBe(
    '{"what":"exit code 3","moment":"tool.before","effect":"went on"}',
  );
});
