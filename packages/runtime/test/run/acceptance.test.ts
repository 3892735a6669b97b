import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callHash } from "../../src/config/call-hash.ts";
import type { TraceLine } from "../../src/run/trace.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { seed } from "../laws/seed.ts";

type Args = Readonly<Record<string, unknown>>;

/** Texts in the place of numbers are put right, everything else is refused. */
function accept(args: Args): Args {
  const timeout = Number(args["timeout"] ?? 0);
  if (Number.isNaN(timeout)) throw new Error("timeout must be a number");
  return args["timeout"] === undefined ? args : { ...args, timeout };
}

async function open() {
  const lines: TraceLine[] = [];
  const runtime = createHookRuntime();
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: "/" },
    trace: { write: (line) => void lines.push(line), payloads: true },
  });
  return { session, lines, close: () => runtime.close() };
}

describe("what was judged is what runs (law 3)", () => {
  test("an edit is made fit to run before the next guard is asked", async () => {
    const { session, lines, close } = await open();
    const seen: unknown[] = [];
    session.on("tool.before", ({ args }) => void seen.push(args));
    session.on("tool.before", () => ({ args: { command: "ls", timeout: "7" } }));
    session.on("tool.before", ({ args }) => void seen.push(args));
    let ran: unknown;
    const call = { tool: "bash", toolCallId: "1", args: { command: "ls", timeout: "5" }, accept };
    await session.wrap(call, (args) => {
      ran = args;
      return "done";
    });
    expect(ran).toEqual({ command: "ls", timeout: 7 });
    // The first was asked again about the call that it had not seen.
    expect(seen).toEqual([{ command: "ls", timeout: 5 }, ran, ran]);
    const line = lines.find(({ event }) => event === "tool.before");
    expect(line?.call).toBe(callHash({ tool: "bash", args: ran }));
    await close();
  });

  test("an edit that cannot run refuses the call, and no hook is asked about it", async () => {
    const { session, lines, close } = await open();
    const seen: unknown[] = [];
    session.on("tool.before", () => ({ args: { command: "ls", timeout: "soon" } }), { name: "broken" });
    session.on("tool.before", ({ args }) => void seen.push(args));
    const result = await session.wrap({ tool: "bash", toolCallId: "1", args: { command: "ls" }, accept }, () => "ran");
    expect(result).toMatchObject({ blocked: true, isError: true });
    expect(JSON.stringify(result.content)).toContain("timeout must be a number");
    expect(seen).toEqual([]);
    const [line] = lines.filter(({ event }) => event === "tool.before");
    expect(line?.diagnostics.map(({ code }) => code)).toContain("REWRITE_REFUSED");
    expect(line?.hooks[0]).toMatchObject({ status: "failed" });
    await close();
  });

  test("arguments of the model that cannot run reach no guard", async () => {
    const { session, close } = await open();
    const seen: unknown[] = [];
    session.on("tool.before", ({ args }) => void seen.push(args));
    const result = await session.wrap({ tool: "bash", toolCallId: "1", args: { timeout: "x" }, accept }, () => "ran");
    expect(result).toMatchObject({ blocked: false, isError: true });
    expect(seen).toEqual([]);
    await close();
  });
});

describe("the hash of a call", () => {
  test("is that of its canonical JSON", () => {
    const args = { b: [1, "é", { z: null, "10": true, "9": -0 }], a: 1e21, __proto__x: undefined };
    const text = '{"args":{"a":1e+21,"b":[1,"é",{"10":true,"9":0,"z":null}]},"tool":"bash"}';
    expect(callHash({ tool: "bash", args })).toBe(createHash("sha256").update(text).digest("hex"));
  });

  test("is the same for the same JSON in any order of members, and another for any other", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      const entries = Object.entries(value).reverse();
      return Object.fromEntries(entries.map(([name, part]) => [name, shuffled(part)]));
    };
    const args = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(args, args, (one, other) => {
        const plain = JSON.parse(JSON.stringify(one)) as object;
        const hash = callHash({ tool: "t", args: plain });
        expect(callHash({ tool: "t", args: shuffled(plain) })).toBe(hash);
        expect(callHash({ tool: "u", args: plain })).not.toBe(hash);
        const same = JSON.stringify(shuffled(plain)) === JSON.stringify(shuffled(JSON.parse(JSON.stringify(other))));
        if (!same && Object.keys(one).sort().join() !== Object.keys(other).sort().join())
          expect(callHash({ tool: "t", args: other })).not.toBe(hash);
      }),
      { seed, numRuns: 2000 },
    );
  });
});
