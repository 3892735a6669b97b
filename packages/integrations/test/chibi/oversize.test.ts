import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../../runtime/src/run/failure.ts";
import { deliver, fitsVariable, MAX_VALUE_BYTES } from "../../src/chibi/hooks/delivery.ts";
import { readsOf } from "../../src/chibi/hooks/plugin.ts";
import { shorten } from "../../src/chibi/hooks/shorten.ts";
import { Bench, has } from "./bench.ts";

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });
const big = "x".repeat(200_000);

/** The ways in which a plugin that mentions the hook's variable gets an event. */
const environment = { hookVariable: true, toolVariable: false, stdin: true, terminal: false };
const skip = { how: "skip" } as const;

describe("the limit of the environment", () => {
  test.each([131_054, 131_055, 131_056, 131_057])("a value of %i bytes", (size) => {
    expect(fitsVariable("x".repeat(size))).toBe(size <= MAX_VALUE_BYTES);
  });

  test("counts bytes, not characters", () => {
    expect(fitsVariable("é".repeat(65_527))).toBe(true);
    expect(fitsVariable("é".repeat(65_528))).toBe(false);
    expect(fitsVariable("😀".repeat(32_763))).toBe(true);
    expect(fitsVariable("😀".repeat(32_764))).toBe(false);
  });

  test("the largest value that counts as small reaches a plugin, so the guard judges it", async () => {
    const bench = new Bench();
    bench.plugin("p", ["pre_tool"], `echo '{"block": true, "message": "'$(echo -n "$CHIBI_HOOK_DATA" | wc -c)'"}'`);
    const { session } = await bench.open();
    const room = MAX_VALUE_BYTES - JSON.stringify({ tool_name: "run_command", arguments: { command: "" } }).length;
    const { answer } = await session.emit("tool.before", call("x".repeat(room)));
    expect(answer).toEqual({ decision: "deny", reason: String(MAX_VALUE_BYTES) });
  });
});

describe("a guard", () => {
  test("that reads the environment refuses a call that it cannot be shown [chibi.edge.14]", async () => {
    const bench = new Bench();
    bench.sample("safety_guard");
    const { session, diagnostics } = await bench.open();
    const { answer } = await session.emit("tool.before", call(`rm -rf x # ${big}`));
    expect(answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["TOO_LARGE", "FAILED_CLOSED"]);
  });

  test("that reads stdin alone judges a call of any size", async () => {
    const bench = new Bench();
    bench.plugin("g", ["pre_tool"], `if grep -q 'rm -rf' /dev/stdin; then echo '{"block": true, "message": "no"}'; fi`);
    const { session } = await bench.open();
    expect((await session.emit("tool.before", call(`${big} rm -rf x`))).answer).toEqual({
      decision: "deny",
      reason: "no",
    });
    expect((await session.emit("tool.before", call(big))).answer).toEqual({});
  });

  test("that reads stdin alone and fails on a large call refuses it", async () => {
    const bench = new Bench();
    bench.plugin("g", ["pre_tool"], "head -c 1 /dev/stdin > /dev/null; exit 1");
    const { session } = await bench.open();
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect((await session.emit("tool.before", call(big))).answer.decision).toBe("deny");
  });

  test("that mentions stdin only in a comment, and makes its schema with jq, refuses", async () => {
    const bench = new Bench();
    bench.write(join(bench.home, "real-guard"), "#!/bin/bash\necho '{}'\n");
    bench.plugin("g", ["pre_tool"], '# as jq -c on stdin\nfalse && jq -nc "{}"\nexec "$HOME/real-guard"');
    const { session } = await bench.open();
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect((await session.emit("tool.before", call(big))).answer.decision).toBe("deny");
  });

  test("that shows no sign of reading stdin refuses, since another program may read the environment for it", async () => {
    const bench = new Bench();
    bench.write(join(bench.home, "real-guard"), "#!/bin/bash\necho '{}'\n");
    bench.plugin("g", ["pre_tool"], 'exec "$HOME/real-guard"');
    const { session, diagnostics } = await bench.open();
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect((await session.emit("tool.before", call(big))).answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["TOO_LARGE", "FAILED_CLOSED"]);
  });
});

describe("a plugin that would act on an empty event", () => {
  test.skipIf(!has("python3"))(
    "is not started: a long prompt stays as it was typed, and that is shown [chibi.edge.14]",
    async () => {
      const bench = new Bench();
      bench.sample("context_injector");
      const { session, diagnostics } = await bench.open();
      expect((await session.emit("prompt.before", { text: big })).answer).toEqual({});
      expect(diagnostics.map(({ code }) => code)).toEqual(["TOO_LARGE", "FAILED_OPEN"]);
    },
  );

  test("of the stdin era gets the whole prompt", async () => {
    const bench = new Bench();
    bench.plugin("p", ["pre_message"], `printf '{"prompt": "%s"}' "$(wc -c < /dev/stdin)"`);
    const { session } = await bench.open();
    expect((await session.emit("prompt.before", { text: big })).answer).toEqual({
      text: String(JSON.stringify({ prompt: big, context_name: "default", summary: "" }).length + 1),
    });
  });
});

describe("an observer", () => {
  test("gets a shortened event that says so [chibi.edge.14]", async () => {
    const bench = new Bench();
    bench.plugin("p", ["post_tool"], 'echo "$CHIBI_HOOK_DATA" > "$HOME/seen"');
    const { session } = await bench.open();
    await session.emit("tool.done", { ...call("ls"), result: big, cached: false });
    const seen = JSON.parse(bench.read("home/seen"));
    expect(seen).toMatchObject({ tool_name: "run_command", arguments: { command: "ls" }, truncated: true });
    expect(seen.result).toMatch(/^x+… \[truncated\]$/);
  });
});

describe("pre_api_request", () => {
  const messages = [{ role: "user", content: big, timestamp: 1 }];
  const request: any = { model: { id: "m", provider: "p" }, systemPrompt: "s", messages, tools: [], temperature: 0.7 };

  test("is shown shortened: small keys can be set, shortened ones are refused by name", async () => {
    const bench = new Bench();
    const answered = JSON.stringify({ request_body: { temperature: 0.1, messages: [] } });
    bench.plugin("p", ["pre_api_request"], `echo "$CHIBI_HOOK_DATA" > "$HOME/seen"; echo '${answered}'`);
    const { session, diagnostics } = await bench.open();
    const { answer } = await session.emit("model.request", { request });
    expect(JSON.parse(bench.read("home/seen"))).toMatchObject({ truncated: true, request_body: { temperature: 0.7 } });
    expect(answer.request).toEqual({ ...request, temperature: 0.1 });
    expect(answer.request?.messages).toBe(messages);
    expect(diagnostics).toMatchObject([
      { code: "HOOK_ODD_ANSWER", message: expect.stringContaining("request_body.messages") },
    ]);
  });

  test.skipIf(!has("python3"))("the seed's temperature override works in a long conversation", async () => {
    const bench = new Bench();
    bench.sample("temp_override");
    const { session, diagnostics } = await bench.open({ scene: { context: "coding" } });
    expect((await session.emit("model.request", { request })).answer.request?.temperature).toBe(0.1);
    expect(diagnostics).toEqual([]);
  });
});

describe("shortening", () => {
  const json = fc.jsonValue({ maxDepth: 6 });

  test("gives something that fits, or nothing; what it kept is the same object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.string({ minLength: 200, maxLength: 3000 }), (event, text) => {
        const whole = { ...event, text };
        const fits = (cut: unknown): boolean => bytes(JSON.stringify(cut)) <= 1500;
        const cut = shorten(whole, fits);
        if (cut === undefined) return;
        expect(fits(cut)).toBe(true);
        expect(cut["truncated"]).toBe(true);
        for (const key of Object.keys(event)) if (typeof event[key] === "number") expect(cut[key]).toBe(event[key]);
      }),
    );
  });

  test("never parts a surrogate pair", () => {
    const cut = shorten({ text: `x${"😀".repeat(5000)}` }, (shorter) => JSON.stringify(shorter).length < 600);
    expect(String(cut?.["text"]).isWellFormed()).toBe(true);
  });

  test("of a long list keeps the first item and the latest ones", () => {
    const list = Array.from({ length: 5000 }, (_, at) => ({ at }));
    const cut = shorten({ list }, (shorter) => JSON.stringify(shorter).length < 20_000)?.["list"] as typeof list;
    expect([cut[0]?.at, cut.at(-1)?.at]).toEqual([0, 4999]);
    expect(cut.length).toBeLessThan(5000);
  });

  test("an event that nothing can make small enough is not sent", () => {
    const event = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, at]));
    expect(shorten(event, (shorter) => JSON.stringify(shorter).length < 1000)).toBeUndefined();
  });
});

describe("delivery", () => {
  test("puts one valid line of JSON into both ways, whatever the text holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (prompt) => {
        const { variable, stdin } = deliver({ prompt, lone: "\ud800" }, skip, environment);
        expect(stdin).toBe(`${variable}\n`);
        expect(JSON.parse(variable as string)).toEqual({ prompt, lone: "\ud800" });
        expect((variable as string).isWellFormed() && !/[\0\n]/.test(variable as string)).toBe(true);
      }),
    );
  });

  test("an event that is no JSON is the engine's failure", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    try {
      deliver(cycle, skip, environment);
      expect.unreachable();
    } catch (thrown) {
      expect(failureOf(thrown)).toMatchObject({ cause: "engine" });
    }
  });

  test.each([
    ["data=$(cat)", true],
    ["jq -r .command < /dev/stdin", true],
    ["data = json.load(sys.stdin)", true],
    ["read -r answer", true],
    ["tool=$(jq -r .tool_name)", true],
    ["cat <<'END'", false],
    ["jq -n '{name: \"guard\"}'", false],
    ["echo x | jq .", false],
    ["# the tool is on stdin", false],
    ['exec python3 "$(dirname "$0")/guard.py"', false],
  ])("%j shows that a program reads stdin: %s", (line, stdin) => {
    expect(readsOf(new TextEncoder().encode(line))).toEqual({
      hookVariable: false,
      toolVariable: false,
      stdin,
      terminal: false,
    });
  });

  test("a program that cannot be read counts as one that reads the environment", () => {
    expect(readsOf(undefined)).toEqual({ hookVariable: true, toolVariable: true, stdin: false, terminal: false });
  });
});
