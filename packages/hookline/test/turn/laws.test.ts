import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { taskCall } from "../support/depth.ts";
import { type Loop, type LoopRun, loopAt } from "../support/loop.ts";

const DEPTHS = [0, 1, 2] as const;
const WORDS = ["a", "b", "c"] as const;
const word = fc.constantFrom(...WORDS);

/** The reactions of a hook to calls whose file contains its word; an editor adds the word to every call. */
const hook = fc.record({
  kind: fc.constantFrom("deny", "ask", "throw", "halt", "rest", "edit", "silent"),
  word,
});
const redactor = fc.constantFrom("none", "replaces", "throws", "calls it a success");
const cases = fc.record({
  calls: fc.array(word, { minLength: 1, maxLength: 3 }),
  hooks: fc.array(hook, { maxLength: 4 }),
  redactor,
});
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

interface Observed extends LoopRun {
  /** The calls that ran, and what each hook last saw of each call. */
  readonly ran: readonly string[];
  readonly last: readonly ReadonlyMap<string, string>[];
  readonly asked: readonly string[];
}

let trials = 0;

/** Runs a case in a loop; files of one trial lie in a folder of its own. */
async function observe({ bench, run }: Loop, one: Case): Promise<Observed> {
  const folder = `t${trials++}`;
  const wordOf = (path: unknown): string => String(path).replace(`${folder}/`, "");
  const asked: string[] = [];
  const last = one.hooks.map(() => new Map<string, string>());
  const undo = one.hooks.map(({ kind, word: own }, i) =>
    bench.hooks.on("tool.before", ({ tool, toolCallId, args }) => {
      if (tool !== "write") return undefined;
      const shown = wordOf(args["path"]);
      asked.push(`${i} ${toolCallId} ${shown}`);
      last[i]?.set(toolCallId, shown);
      if (kind === "edit") return { args: { ...args, path: `${folder}/${own}` } };
      if (shown !== own || kind === "silent") return undefined;
      if (kind === "throw") throw new Error("cannot tell");
      if (kind === "halt") return { halt: { reason: "enough" } };
      if (kind === "ask") return { decision: "ask", reason: `${i} asks` };
      return { decision: "deny", reason: `${i} refuses`, ...(kind === "rest" && { rest: "refuse" as const }) };
    }),
  );
  if (one.redactor !== "none")
    undo.push(
      bench.hooks.on(
        "tool.after",
        ({ tool }) => {
          if (tool !== "write") return undefined;
          if (one.redactor === "throws") throw new Error("broken");
          return one.redactor === "replaces" ? { content: [{ type: "text", text: "kept back" }] } : { isError: false };
        },
        { redact: true },
      ),
    );
  const toolCalls = one.calls.map((path, i) => ({
    id: `call-${i}`,
    name: "write",
    arguments: { path: `${folder}/${path}`, content: "x" },
  }));
  const { outcome, results } = await run([{ toolCalls }, { text: "end" }]);
  for (const go of undo) go();
  const ran = WORDS.filter((name) => existsSync(join(bench.project, folder, name)));
  const plain = results.map(({ text, ...rest }) => ({ ...rest, text: text.replaceAll(folder, "FOLDER") }));
  return { outcome, results: plain, ran, last, asked };
}

/** Why what ran must not have run; nothing where the laws hold. */
function brokenLaw(one: Case, { results, ran, last }: Observed): string | undefined {
  for (const { id, isError } of results) {
    const finals = new Set(last.flatMap((shown, i) => (one.hooks[i]?.kind === "edit" ? [] : (shown.get(id) ?? []))));
    if (isError) continue;
    if (finals.size > 1) return `${id} ran, and the hooks had seen ${[...finals].join(" and ")}`;
    const against = one.hooks.find(
      ({ kind, word: own }, i) => !["edit", "silent"].includes(kind) && last[i]?.get(id) === own,
    );
    if (against !== undefined) return `${id} ran although a hook says ${against.kind} to it`;
  }
  const succeeded = results.some(({ isError }) => !isError);
  return ran.length > 0 && !succeeded ? "a refused call ran" : undefined;
}

describe("the laws hold in every loop", () => {
  test("the same hooks give the same results in a sub-agent, and in a sub-agent's sub-agent", async () => {
    const loops = await Promise.all(DEPTHS.map((depth) => loopAt(depth)));
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const seen: Observed[] = [];
        for (const loop of loops) {
          const observed = await observe(loop, one);
          expect(brokenLaw(one, observed)).toBeUndefined();
          if (one.redactor === "replaces" || one.redactor === "throws")
            for (const { text } of observed.results) expect(text).not.toMatch(/Successfully wrote/);
          seen.push(observed);
        }
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
      }),
      { numRuns: 15 },
    );
  });

  test.each(DEPTHS)("at depth %i a required hook that is gone refuses calls and sub-agents", async (depth) => {
    const guard = "~/.pi/agent/extensions/guard.ts";
    const { bench, run } = await loopAt(depth, {
      settings: { required: [guard] },
      files: { [guard]: 'export default (pi) => pi.on("tool_call", () => undefined);\n' },
    });
    const { hooks, home } = bench;
    // Removes the guard's file when the loop begins; the load, for which nobody waits, puts the stand-in in its place.
    const go = async (): Promise<undefined> => {
      rmSync(join(home, ".pi/agent/extensions/guard.ts"), { force: true });
      void hooks.load();
      await vi.waitUntil(() => hooks.missing().some(({ isPending }) => !isPending), { timeout: 20_000 });
      return undefined;
    };
    if (depth === 0) await go();
    else hooks.on("agent.spawned", ({ tools }) => (tools.includes("task") === depth < 2 ? go() : undefined));
    const { results } = await run([{ toolCalls: [write("a"), { id: "z", ...taskCall() }] }, { text: "end" }]);
    expect(results).toMatchObject([
      { isError: true, text: expect.stringContaining("guard.ts must run") },
      { isError: true },
    ]);
    expect(existsSync(join(bench.project, "a"))).toBe(false);
  });

  test.each(DEPTHS)(
    "at depth %i a guard that breaks refuses, a broken redactor withholds, and what has no consent does not run",
    async (depth) => {
      const { bench, run } = await loopAt(depth, {
        trust: false,
        settings: { failClosed: ["~/.pi/agent/extensions/broken.ts"] },
        files: {
          "~/.pi/agent/extensions/broken.ts": `export default (pi) => {
          pi.on("tool_call", ({ toolName }) => { if (toolName === "write") throw new Error("broken"); });
          pi.on("tool_result", ({ toolName }) => { if (toolName === "ls") throw new Error("broken"); });
        };`,
          ".jcli/hooks.yaml": "pre_tool_execution:\n  - command: 'touch unapproved-ran; echo \"{}\"'\n",
        },
      });
      const ls = { id: "z", name: "ls", arguments: { path: "." } };
      const { results } = await run([{ toolCalls: [write("a"), ls] }, { text: "end" }]);
      expect(results).toMatchObject([{ isError: true, text: expect.stringContaining("broken") }, { id: "z" }]);
      expect(results[1]?.text).not.toContain(".jcli");
      expect(existsSync(join(bench.project, "a")) || existsSync(join(bench.project, "unapproved-ran"))).toBe(false);
    },
  );
});

function write(path: string) {
  return { id: `w-${path}`, name: "write", arguments: { path, content: "x" } };
}
