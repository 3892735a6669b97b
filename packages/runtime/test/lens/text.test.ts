import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/catalog/message.ts";
import { type Block, putText } from "../../src/lens/text.ts";

const image: Block = { type: "image", data: "aGk=", mimeType: "image/png" } as Block;
const text = (value: string, rest: object = {}): Block => ({ type: "text", text: value, ...rest });

const line = fc.constantFrom("", "a", "b", "a\nb", "\n", "long text");
const blocks = fc.array(
  fc.oneof(
    line.map((value) => text(value)),
    fc.constant(image),
    fc.constant<Block>({ type: "thinking", thinking: "hm" } as Block),
  ),
  { maxLength: 6 },
);
const content = fc.oneof(fc.string(), blocks);

describe("laws of the text lens", () => {
  it("an echo keeps the content's identity", () => {
    fc.assert(fc.property(content, (given) => putText(textOf(given), given) === given));
  });

  it("what was put is what is seen", () => {
    fc.assert(
      fc.property(content, fc.oneof(line, fc.string()), (given, wanted) => textOf(putText(wanted, given)) === wanted),
    );
  });

  it("blocks that are not text stay, in their order and as the same objects", () => {
    fc.assert(
      fc.property(blocks, fc.oneof(line, fc.string()), (given, wanted) => {
        const others = (list: readonly Block[]): Block[] => list.filter((block) => block.type !== "text");
        const kept = others(putText(wanted, given));
        return kept.length === others(given).length && kept.every((block, i) => block === others(given)[i]);
      }),
    );
  });
});

describe("putText", () => {
  it.each<[string, readonly Block[], string, readonly Block[]]>([
    [
      "the changed one of several texts",
      [text("a"), image, text("b"), text("c")],
      "a\nB\nc",
      [text("a"), image, text("B"), text("c")],
    ],
    ["a text that is cut off", [text("a"), image, text("b")], "a", [text("a"), image]],
    ["a text in the middle that is taken out", [text("a"), text("b"), text("c")], "a\nc", [text("a"), text("c")]],
    ["a text that is added at the end", [text("a"), image], "a\nb", [text("a"), text("b"), image]],
    ["everything new", [text("a"), image, text("b")], "x", [text("x"), image]],
    ["a text where there was none", [image], "x", [text("x"), image]],
    ["an emptied text", [text("a"), image], "", [image]],
    [
      "a first text beside thinking",
      [{ type: "thinking" }, { type: "toolCall" }],
      "x",
      [{ type: "thinking" }, text("x"), { type: "toolCall" }],
    ],
  ])("edits %s and nothing else", (_, before, wanted, after) => {
    expect(putText(wanted, before)).toEqual(after);
  });

  it("keeps the other fields of an edited text block", () => {
    expect(putText("new", [text("old", { textSignature: "s" })])).toEqual([text("new", { textSignature: "s" })]);
  });

  it("replaces a content that is a string", () => {
    expect(putText("new", "old")).toBe("new");
  });
});
