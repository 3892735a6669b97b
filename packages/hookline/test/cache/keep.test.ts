import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CACHE_DEFAULTS, keepOutput } from "../../src/cache/keep.ts";
import { scratch } from "./scratch.ts";

const text = "word ".repeat(1000);
const call = { toolCallId: "c", tool: "bash", args: { command: "ls" }, text };

/** Keeps an output with hooks that answer so; gives what the model sees and what the hooks heard. */
async function keep(answer: object = {}, about: Partial<typeof call> = {}, folder = scratch()) {
  const events: [string, any][] = [];
  const failures: unknown[] = [];
  const shown = await keepOutput(
    {
      folder,
      settings: CACHE_DEFAULTS,
      onFailure: (error) => failures.push(error),
      emit: async (event, payload) => {
        events.push([event, payload]);
        return { answer: event === "tool.cache-before" ? answer : {} } as never;
      },
    },
    { ...call, ...about },
  );
  return { shown, events, failures, folder };
}

test("a large output is cached whole; hooks are told before and after", async () => {
  const { shown, events, folder } = await keep();
  const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".cache"));
  const cacheId = name.replace(".cache", "");
  expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  expect(shown).toContain(`[Output cached: ${cacheId}]`);
  expect(events).toEqual([
    [
      "tool.cache-before",
      { toolCallId: "c", tool: "bash", args: call.args, content: text, charCount: 5000, lineCount: 1 },
    ],
    ["tool.cached", { toolCallId: "c", tool: "bash", cacheId, charCount: 5000, tokenEstimate: 1250, lineCount: 1 }],
  ]);
});

test("a small output asks no hook", async () => {
  expect(await keep({}, { text: "x".repeat(4000) })).toMatchObject({ shown: undefined, events: [] });
});

test("a hook's summary replaces the preview", async () => {
  const { shown } = await keep({ summary: "five thousand words" });
  expect(shown).toContain("Summary:\n---\nfive thousand words\n---");
  expect(shown).not.toContain("word word");
});

test("a hook can keep an output out of the cache", async () => {
  const { shown, events, folder } = await keep({ keep: false });
  expect(shown).toBeUndefined();
  expect(events).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([]);
});

test("an output that cannot be stored is shown whole", async () => {
  const file = join(scratch(), "file");
  writeFileSync(file, "");
  const { shown, failures, events } = await keep({}, {}, file);
  expect(shown).toBeUndefined();
  expect(failures).toHaveLength(1);
  expect(events.map(([event]) => event)).toEqual(["tool.cache-before"]);
});
