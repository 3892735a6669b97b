import { expect, test } from "vitest";
import { shownText, withText } from "../../src/moment/shaped-result.ts";

test.each([
  ["a text", "a TOKEN", "a [gone]"],
  [
    "a file",
    { type: "text", file: { filePath: "/x", content: "TOKEN" } },
    { type: "text", file: { filePath: "/x", content: "[gone]" } },
  ],
  [
    "blocks",
    [
      { type: "text", text: "a" },
      { type: "text", text: "TOKEN" },
    ],
    [
      { type: "text", text: "a\n[gone]" },
      { type: "text", text: "" },
    ],
  ],
  [
    "an object with blocks",
    { content: [{ type: "text", text: "TOKEN" }] },
    { content: [{ type: "text", text: "[gone]" }] },
  ],
  ["an empty stream", { stdout: "TOKEN", stderr: "" }, { stdout: "[gone]", stderr: "" }],
  ["a shape that is not known", { one: { two: "TOKEN" }, n: 1 }, { one: { two: "[gone]" }, n: 1 }],
])("the result of %s is rewritten in its own shape", (_, response, wanted) => {
  expect(withText(response, shownText(response).replaceAll("TOKEN", "[gone]"))).toEqual(wanted);
});

test("a text that is no JSON any more empties a shape that is not known", () => {
  expect(withText({ one: { two: "TOKEN", three: "TOKEN" }, n: 1 }, "withheld")).toEqual({
    one: { two: "withheld", three: "" },
    n: 1,
  });
});
