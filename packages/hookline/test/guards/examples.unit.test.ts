import { createHash } from "node:crypto";
import type { Call } from "@hookline/runtime/dialect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../../../examples/guards/audit.ts";
import prune from "../../../../examples/guards/prune.ts";

const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** A chain of so many lines, with the hash of the last. */
function chain(count: number, name: string): { readonly lines: readonly string[]; readonly head: string } {
  let head = digest("");
  const lines = Array.from({ length: count }, (_, at) => {
    const line = JSON.stringify({ tool: name, args: digest(at), before: head });
    head = digest(line);
    return line;
  });
  return { lines, head };
}

describe("audit", () => {
  const { lines, head } = chain(12, "bash");
  const text = (of: readonly string[]): string => of.map((line) => `${line}\n`).join("");
  const other = chain(12, "read").lines;

  test("finds nothing in a whole chain, and says of a torn end that it is one", () => {
    expect(problemOf(text(lines), head)).toBeUndefined();
    expect(problemOf("", digest(""))).toBeUndefined();
    expect(problemOf(text(lines).slice(0, -9), head)).toMatch(/^Line 12 is not complete/);
  });

  test("finds every edit", () => {
    const at = fc.integer({ min: 0, max: 11 });
    const edits: ((at: number, to: number) => readonly string[])[] = [
      (one) => lines.with(one, (lines[one] as string).replace("bash", "read")),
      (one) => lines.with(one, (lines[one] as string).replace("{", "{ ")),
      (one) => lines.toSpliced(one, 1),
      (one, to) => lines.toSpliced(one, 0, lines[to] as string),
      (one, to) => lines.with(one, lines[to] as string).with(to, lines[one] as string),
      (one) => lines.slice(0, one),
      (one, to) => lines.with(one, other[to] as string),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...edits), at, at, (edit, one, to) => {
        const edited = edit(one, to);
        fc.pre(text(edited) !== text(lines));
        expect(problemOf(text(edited), head)).toBeDefined();
      }),
      { numRuns: 10_000 },
    );
  });
});

test("prune takes old results out in one step, keeps the newest, and gives the same bytes for the same input", async () => {
  const turn = (at: number, length: number): object[] => [
    { role: "assistant", content: [{ type: "toolCall", id: `c${at}`, name: "read", arguments: { path: `f${at}` } }] },
    {
      role: "toolResult",
      toolCallId: `c${at}`,
      isError: at === 1,
      content: [{ type: "text", text: "x".repeat(length) }],
    },
  ];
  const history = Array.from({ length: 12 }, (_, at) => turn(at, 45_000)).flat();
  const ask = async (messages: readonly object[]): Promise<any> =>
    (await prune.run({ messages, systemPrompt: "" } as never, {} as Call)) as any;
  expect(await ask(history.slice(0, 12))).toBeUndefined();
  const { messages } = await ask(history);
  const texts = messages.flatMap((one: any) => (one.role === "toolResult" ? [one.content[0].text] : []));
  expect(texts[0]).toBe('[An old result, taken out. To see it again: read {"path":"f0"}]');
  expect(texts.map((text: string) => text.length > 1_000)).toEqual([false, true, ...Array(8).fill(false), true, true]);
  expect(messages.map(({ role }: any) => role)).toEqual(history.map(({ role }: any) => role));
  // Until the next threshold nothing more is taken out, and what was sent is sent again.
  const more = await ask([...history, ...turn(12, 45_000)]);
  expect(JSON.stringify(more.messages.slice(0, 24))).toBe(JSON.stringify(messages));
});
