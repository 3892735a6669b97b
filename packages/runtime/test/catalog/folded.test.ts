import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Answer, EventName, Folded } from "../../src/catalog/catalog.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import { define } from "../../src/catalog/define.ts";
import type { Message } from "../../src/catalog/message.ts";
import * as s from "../../src/catalog/shape.ts";
import {
  any,
  collect,
  concat,
  first,
  last,
  meet,
  prepend,
  record,
  shallow,
  strictest,
  union,
} from "../../src/fold/index.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { samplePayload } from "../../src/testing/sample.ts";

/** A row that folds a field in each way that there is. */
const row = define("door.knock", {
  fires: "When somebody knocks.",
  kind: "control",
  payload: () => ({}),
  answer: () => ({
    any: v.optional(v.boolean()),
    collect: v.optional(s.text()),
    concat: v.optional(s.texts()),
    first: v.optional(s.text()),
    last: v.optional(v.number()),
    usual: v.optional(v.number()),
    meet: v.optional(s.texts()),
    prepend: v.optional(s.text()),
    record: v.optional(v.strictObject({ a: v.optional(v.number()), b: v.optional(v.number()) })),
    shallow: v.optional(s.args()),
    strictest: v.optional(v.picklist(["allow", "ask", "deny"])),
    union: v.optional(s.texts()),
  }),
  folds: {
    any: any(),
    collect: collect(),
    concat: concat(),
    first: first(),
    last: last(),
    meet: meet(),
    prepend: prepend(),
    record: record({ a: last(), b: last() }),
    shallow: shallow(),
    strictest: strictest(),
    union: union(),
  },
});
type Row = Required<NonNullable<(typeof row)["folded"]>>;

const ANSWERS = [
  {
    any: false,
    collect: "one",
    concat: ["one", "two"],
    first: "one",
    last: 1,
    usual: 1,
    meet: ["one", "two"],
    prepend: "one",
    record: { a: 1 },
    shallow: { a: 1 },
    strictest: "ask",
    union: ["one", "two"],
  },
  {
    any: true,
    collect: "two",
    concat: ["two"],
    first: "two",
    last: 2,
    usual: 2,
    meet: ["two"],
    prepend: "two",
    record: { b: 2 },
    shallow: { b: 2 },
    strictest: "allow",
    union: ["two", "three"],
  },
] as const;

/** The combined result of both answers, by its type. A field of another type does not compile. */
const FOLDED: Row = {
  any: true,
  collect: ["one", "two"],
  concat: ["one", "two", "two"],
  first: "one",
  last: 2,
  usual: 2,
  meet: ["two"],
  prepend: ["two", "one"],
  record: { a: 1, b: 2 },
  shallow: { a: 1, b: 2 },
  strictest: "ask",
  union: ["one", "two", "three"],
};

test("each fold gives what its type says", () => {
  const state = ANSWERS.reduce<unknown>((now, answer) => row.fold.step(now, answer as never), row.fold.empty);
  expect(row.fold.result(state)).toEqual(FOLDED);
  expectTypeOf<Row["any"]>().toEqualTypeOf<boolean>();
  expectTypeOf<Row["collect"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Row["concat"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Row["first"]>().toEqualTypeOf<string>();
  expectTypeOf<Row["last"]>().toEqualTypeOf<number>();
  expectTypeOf<Row["usual"]>().toEqualTypeOf<number>();
  expectTypeOf<Row["meet"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Row["prepend"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Row["record"]>().toEqualTypeOf<{ a?: number | undefined; b?: number | undefined }>();
  expectTypeOf<Row["shallow"]>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf<Row["strictest"]>().toEqualTypeOf<"allow" | "ask" | "deny">();
  expectTypeOf<Row["union"]>().toEqualTypeOf<readonly string[]>();
});

/** Fields in which one handler says a text, and the outcome is a list of them. */
interface Lists {
  "agent.stop": "feedback" | "additionalContext";
  "agent.spawned": "additionalContext";
  "agent.done": "feedback";
  "tool.before": "additionalContext" | "remark";
  "tool.after": "additionalContext" | "remark";
  "model.context": "additionalContext";
  "model.select": "additionalContext";
  "session.start": "additionalContext";
  "prompt.before": "additionalContext";
  "prompt.expand": "additionalContext";
  "compact.after": "additionalContext";
}

/** The fields of an event's outcome that have another type than those of an answer. */
type Different<E extends EventName> = {
  [K in keyof Folded<E>]-?: K extends keyof Answer<E>
    ? [Exclude<Folded<E>[K], undefined>] extends [Exclude<Answer<E>[K], undefined>]
      ? never
      : K
    : K;
}[keyof Folded<E>];

test("outcomes of the catalog have the types of their answers, or are flat lists of texts", () => {
  expectTypeOf<{ [E in EventName as Different<E> extends never ? never : E]: Different<E> }>().toEqualTypeOf<Lists>();
  type Texts = { [E in keyof Lists]: Exclude<Folded<E>[Lists[E] & keyof Folded<E>], undefined> }[keyof Lists];
  expectTypeOf<Texts>().toEqualTypeOf<readonly string[]>();
  type Listed<E extends EventName, K extends keyof Folded<E>> = Exclude<Folded<E>[K], undefined>;
  expectTypeOf<Listed<"agent.before-start", "messages">>().toEqualTypeOf<readonly Message[]>();
  expectTypeOf<Listed<"model.context", "inject">>().toEqualTypeOf<readonly Message[]>();
  expectTypeOf<Listed<"prompt.build", "before" | "after">>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Listed<"compact.before", "instructions">>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Listed<"tools.select", "include" | "exclude">>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Listed<"resources.discover", "skillPaths" | "promptPaths" | "themePaths">>().toEqualTypeOf<
    readonly string[]
  >();
});

/** Each field of the catalog that several handlers fill, with the fold that joins them. */
const joined = [...catalog.values()].flatMap(({ name, fold }) =>
  [...fold.name.matchAll(/(\w+): (collect|concat)\b/g)].map(([, field = "", by = ""]) => [name, field, by] as const),
);

describe("what library handlers say arrives as one flat list", () => {
  test.each(joined)("%s: %s", async (event, field, by) => {
    const message = (text: string) => ({ role: "user", content: [{ type: "text", text }], timestamp: 0 });
    const item = (text: string) => (field === "messages" || field === "inject" ? message(text) : text);
    const says = (text: string) => (by === "collect" ? item(text) : [item(text)]);
    const runtime = createHookRuntime();
    const session = await runtime.open({ scene: { sessionId: "1", cwd: "/" } });
    for (const text of ["one", "two"]) session.on(event as "agent.stop", () => ({ [field]: says(text) }) as never);
    const { answer } = await session.emit(event as "agent.stop", samplePayload(event as "agent.stop") as never);
    expect((answer as Readonly<Record<string, unknown>>)[field]).toEqual([item("one"), item("two")]);
    await runtime.close();
  });
});
