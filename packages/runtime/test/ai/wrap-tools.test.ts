import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { wrapTools } from "../../src/ai/index.ts";
import type { Session } from "../../src/session/face.ts";
import { createRuntime, type Runtime } from "../../src/session/face.ts";

let runtime: Runtime;
let hooks: Session;
const options = { toolCallId: "1" };

/** How the SDK calls a tool. */
type Execute = (args: unknown, options: unknown) => Promise<unknown>;

beforeEach(async () => {
  runtime = createRuntime();
  const scene = { sessionId: "1", cwd: import.meta.dirname };
  hooks = await runtime.open({ scene, tools: { weather: "weather" } });
});

afterEach(() => runtime.close());

const forecast = { city: "Ulm", temperature: 21 };

/** The wrapped tool of this `execute`. */
function wrapped(execute: (args: { city: string }) => unknown): { execute: Execute } {
  return wrapTools(hooks, { weather: { description: "d", execute } }).weather as never;
}

/** Has a hook replace one text by another in every result. */
function redacts(from: string, to: string): void {
  hooks.on("tool.after", ({ content }) => ({
    content: content.map((block) => (block.type === "text" ? { ...block, text: block.text.replace(from, to) } : block)),
  }));
}

describe("what a tool returns", () => {
  const symbol = { at: new Date(0), list: [1, { deep: true }] };
  test.each([[forecast], [symbol], [[1, 2]], [7], [null], [undefined], ["text"], [""], [false]])(
    "%j passes as itself while no hook changes it",
    async (value) => {
      const seen: unknown[] = [];
      hooks.on("tool.after", ({ content }) => void seen.push(content));
      expect(await wrapped(() => value).execute({ city: "Ulm" }, options)).toBe(value);
      const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      expect(seen).toEqual([[{ type: "text", text }]]);
    },
  );

  test("an object stays one after a hook has changed its text, and becomes text if that is no JSON any more", async () => {
    redacts("Ulm", "[city]");
    expect(await wrapped(() => forecast).execute({ city: "Ulm" }, options)).toEqual({ ...forecast, city: "[city]" });
    redacts('"[city]"', "[city]");
    expect(await wrapped(() => forecast).execute({ city: "Ulm" }, options)).toBe('{"city":[city],"temperature":21}');
  });

  test("of a tool that yields, the last value counts", async () => {
    async function* steps() {
      yield { state: "loading" };
      yield forecast;
    }
    expect(await wrapped(() => steps()).execute({ city: "Ulm" }, options)).toBe(forecast);
  });
});

test("a tool without execute stays as it is, and a wrapped one keeps its other fields and its `this`", async () => {
  const client = { description: "runs in the browser" };
  const own = {
    description: "d",
    unit: "C",
    execute(this: { unit: string }) {
      return this.unit;
    },
  };
  const tools = wrapTools(hooks, { client, own } as never) as {
    client: object;
    own: { execute(...args: unknown[]): unknown };
  };
  expect(tools.client).toBe(client);
  expect("execute" in tools.client).toBe(false);
  expect(await tools.own.execute({}, options)).toBe("C");
});

test("a refused call does not run, and throws the reason", async () => {
  let ran = 0;
  hooks.on("tool.before", ({ args }) => (args["city"] === "Ulm" ? { decision: "deny", reason: "not Ulm" } : undefined));
  const { execute } = wrapped(() => ++ran);
  await expect(execute({ city: "Ulm" }, options)).rejects.toThrow("not Ulm");
  expect([ran, await execute({ city: "Bonn" }, options)]).toEqual([0, 1]);
});

describe("what a tool throws", () => {
  test("is thrown again as it is", async () => {
    const error = Object.assign(new TypeError("no such city"), { code: 404 });
    const thrown = await wrapped(() => {
      throw error;
    })
      .execute({ city: "x" }, options)
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown).toBe(error);
  });

  test("is the text that a hook made of it, without the original", async () => {
    redacts("sk-123", "[key]");
    const thrown = await wrapped(() => {
      throw new Error("key sk-123");
    })
      .execute({ city: "x" }, options)
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown).toMatchObject({ message: "key [key]" });
    expect((thrown as Error).cause).toBeUndefined();
  });

  test("shows its value if it is no error", async () => {
    const thrown = await wrapped(() => {
      throw { code: 404 };
    })
      .execute({ city: "x" }, options)
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown).toMatchObject({ message: '{"code":404}' });
  });
});

test("onResult hears what the SDK has no place for", async () => {
  hooks.on("tool.before", () => ({ halt: { reason: "enough" }, remark: "see you" }));
  const heard: unknown[] = [];
  const { weather } = wrapTools(
    hooks,
    { weather: { execute: () => "" } },
    { onResult: ({ halt, remarks }) => void heard.push(halt, remarks) },
  );
  await expect((weather.execute as (...args: unknown[]) => unknown)({}, options)).rejects.toThrow();
  expect(heard).toEqual([{ reason: "enough" }, ["see you"]]);
});
