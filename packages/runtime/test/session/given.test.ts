import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { pi } from "../../../integrations/src/index.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import { trustEverything } from "../../src/consent/consent.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { samplePayload } from "../../src/testing/sample.ts";

const scene = { sessionId: "1", cwd: import.meta.dirname };
const guarded = [...catalog.values()].filter(({ kind }) => kind === "guard" || kind === "gate");

interface Entry {
  readonly type: string;
  readonly entries: Readonly<Record<string, Entry>>;
}
/** The fields that a row needs, from the schema that reads its payloads. */
const neededBy = (row: (typeof guarded)[number]): string[] =>
  Object.entries((row.payload() as unknown as Entry).entries).flatMap(([name, { type }]) =>
    ["optional", "unknown", "custom", "loose_object"].includes(type) ? [] : [name],
  );

const values = [undefined, null, 7, true, "text", ["list"], { an: "object" }, () => {}];
const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);

const needing = guarded.filter((row) => neededBy(row).length > 0);

describe.each(needing.map((row) => [row.name, row] as const))("%s", (name, row) => {
  test.each(neededBy(row))(
    "is refused without %s, misspelt or of another type, before any guard is asked",
    async (field) => {
      const runtime = createHookRuntime();
      const session = await runtime.open({ scene });
      const asked: unknown[] = [];
      session.on(row.name as "tool.before", (event) => void asked.push(event));
      const whole = samplePayload(row.name as "tool.before") as unknown as Record<string, unknown>;
      const { [field]: value, ...rest } = whole;
      await session.emit(name as never, whole as never);
      expect(asked).toHaveLength(1);
      const broken = [
        rest,
        { ...rest, [`${field}s`]: value },
        { ...rest, [field.toUpperCase()]: value },
        ...values.filter((other) => kindOf(other) !== kindOf(value)).map((other) => ({ ...rest, [field]: other })),
      ];
      for (const payload of broken)
        expect(() => session.emit(name as never, payload as never)).toThrow(`"${field}" of ${name}`);
      expect(asked).toHaveLength(1);
      await runtime.close();
    },
  );
});

describe("wrap", () => {
  test("runs no tool for a call that is malformed in any way", async () => {
    const runtime = createHookRuntime();
    const session = await runtime.open({ scene });
    session.on("tool.before", () => ({ decision: "deny" as const }));
    const field = fc.constantFrom("tool", "toolCallId", "args");
    const call = { tool: "bash", toolCallId: "1", args: { command: "rm x" } };
    await fc.assert(
      fc.asyncProperty(field, fc.constantFrom(...values), fc.string(), async (name, value, other) => {
        const { [name]: own, ...rest } = call;
        fc.pre(kindOf(value) !== kindOf(own) && other !== name);
        const run = vi.fn(() => "");
        for (const given of [
          { ...rest, [name]: value },
          { ...rest, [other]: own },
        ])
          await expect(session.wrap(given as never, run)).rejects.toThrow(`"${name}" of tool.before`);
        expect(run).not.toHaveBeenCalled();
      }),
      { numRuns: 100 },
    );
    await runtime.close();
  });

  test.each([
    [{ name: "bash", toolCallId: "1", args: {} }, 'There is no "name"; call it "tool".'],
    [{ tool: "bash", toolCallID: "1", args: {} }, 'There is no "toolCallID"; call it "toolCallId".'],
    [
      { tool: "bash", toolCallId: "1", args: '{"command":"rm x"}' },
      "Parse the model's JSON first, and give the object.",
    ],
  ])("says what to write in place of %j", async (call, hint) => {
    const runtime = createHookRuntime();
    const session = await runtime.open({ scene });
    await expect(session.wrap(call as never, () => "")).rejects.toMatchObject({ code: "INVALID_OPTION", hint });
    await runtime.close();
  });
});

describe("options", () => {
  test.each([
    [{ dialect: [pi] }, '"dialect" is no option', 'Did you mean "dialects"?'],
    [{ dialects: ["pi"] }, 'dialects has "pi", which is no dialect', /^Import them: /],
    [{ dialects: pi }, "dialects is an object, and not a list of dialects", /^Import them: /],
    [{ trustEverything: true }, '"trustEverything" is no option', 'Did you mean "runUnapprovedProjectHooks"?'],
    [{ consent: trustEverything }, "consent is trustEverything", "Write { runUnapprovedProjectHooks: true }."],
  ])("of createRuntime: %o is refused", (options, problem, hint) => {
    expect(() => createHookRuntime(options as never)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(problem), hint: expect.stringMatching(hint) }),
    );
  });

  test("of open: an unknown one is refused with the nearest name, and a wrong value is named", async () => {
    const runtime = createHookRuntime();
    await expect(runtime.open({ scene, setting: {} } as never)).rejects.toThrow('open: "setting" is no option');
    await expect(runtime.open({ scene: "here" } as never)).rejects.toThrow('scene is "here", and not an object');
    await runtime.close();
  });
});

test("problems that nobody takes are written to stderr, each once", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const runtime = createHookRuntime();
  const session = await runtime.open({ scene });
  session.on("tool.end", () => {
    throw new Error("oh no");
  });
  const end = { tool: "bash", toolCallId: "1", args: {}, result: {}, isError: false };
  for (let time = 0; time < 3; time++) await session.emit("tool.end", end);
  const lines = written.mock.calls.map(([text]) => String(text)).filter((text) => text.includes("oh no"));
  written.mockRestore();
  expect(lines).toEqual([expect.stringMatching(/^hookline: \w+: .*oh no.*\n$/)]);
  await runtime.close();
});
