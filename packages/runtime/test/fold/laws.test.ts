import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  answerOnly,
  any,
  collect,
  concat,
  type Fold,
  first,
  halt,
  last,
  meet,
  prepend,
  record,
  shallow,
  strictest,
  unanimous,
  union,
} from "../../src/fold/index.ts";

const RUNS = { numRuns: 1000 };

const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
const list = fc.array(fc.integer({ min: 0, max: 5 }));
const object = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), value);
const decision = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const fields = fc.record({ block: fc.boolean(), text: fc.string(), extra: fc.integer() }, { requiredKeys: [] });

const blocked = halt<any, any>(
  { name: "block", by: (answer) => answer.block === true, keep: answerOnly },
  record({ block: last(), text: last() }, last()),
);

const refused = halt<any, any>(
  { name: "deny", by: (answer) => answer.decision === "deny" },
  record({ decision: strictest(), remark: collect() }),
);
const agreed = unanimous<string, object>({
  name: "allow",
  agrees: (answer) => answer === "allow",
  combine: (answers, isUnanimous) => ({ answers, isUnanimous }),
});
const verdict = fc.record({ decision, remark: fc.string() }, { requiredKeys: [] });

/** Every fold with answers that fit it. */
const folds: [string, Fold<any, any>, fc.Arbitrary<any>][] = [
  ["last", last(), value],
  ["first", first(), value],
  ["collect", collect(), value],
  ["concat", concat(), list],
  ["prepend", prepend(), value],
  ["any", any(), value],
  ["strictest", strictest(), decision],
  ["union", union(), list],
  ["meet", meet(), list],
  ["shallow", shallow(), object],
  ["record", record({ block: any(), text: last() }, last()), fields],
  ["unanimous", agreed, decision],
  ["halt", blocked, fields],
  ["halt that keeps all", refused, verdict],
];

const fold = (by: Fold<any, any>, answers: readonly unknown[]): unknown =>
  by.result(answers.reduce((state: any, answer) => by.step(state, answer), by.empty));

describe.each(folds)("%s", (_, by, answer) => {
  test("settling early never changes the result", () => {
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        let state: any = by.empty;
        for (const one of answers) {
          if (by.settled(state)) break;
          state = by.step(state, one);
        }
        expect(by.result(state)).toEqual(fold(by, answers));
      }),
      RUNS,
    );
  });

  test("no answers give no result, and reading the result changes nothing", () => {
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        const state = answers.reduce((now: any, one) => by.step(now, one), by.empty);
        const seen = JSON.stringify(by.result(state));
        expect(JSON.stringify(by.result(state))).toBe(seen);
      }),
      RUNS,
    );
    expect(by.result(by.empty) ?? {}).toEqual({});
  });

  test("answers are never changed", () => {
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        const before = JSON.stringify(answers);
        fold(by, answers);
        expect(JSON.stringify(answers)).toBe(before);
      }),
      RUNS,
    );
  });

  test("Object.prototype stays as it is", () => {
    fold(
      by,
      [JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')].filter(
        () => by.name === "shallow" || by.name.startsWith("record") || by.name.startsWith("halt"),
      ),
    );
    expect(({} as any).polluted).toBeUndefined();
  });
});

describe("order", () => {
  test.each([
    ["any", any(), value],
    ["strictest", strictest(), decision],
  ] as [string, Fold<any, any>, fc.Arbitrary<any>][])("%s does not depend on it", (_, by, answer) => {
    fc.assert(
      fc.property(
        fc
          .array(answer)
          .chain((answers) =>
            fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length })),
          ),
        ([answers, shuffled]) => {
          expect(fold(by, shuffled)).toEqual(fold(by, answers));
        },
      ),
      RUNS,
    );
  });

  test.each([
    ["union", union<number>()],
    ["meet", meet<number>()],
  ])("%s has the same members in any order", (_, by) => {
    fc.assert(
      fc.property(
        fc
          .array(list)
          .chain((answers) =>
            fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length })),
          ),
        ([answers, shuffled]) => {
          const sorted = (of: unknown): number[] => [...((of as number[] | undefined) ?? [])].sort();
          expect(sorted(fold(by, shuffled))).toEqual(sorted(fold(by, answers)));
        },
      ),
      RUNS,
    );
  });
});

describe("decisions", () => {
  const ranks = ["allow", "ask", "deny"];

  test("one more answer never loosens a decision", () => {
    fc.assert(
      fc.property(fc.array(decision), decision, fc.nat(), (answers, more, at) => {
        const place = answers.length === 0 ? 0 : at % (answers.length + 1);
        const with_ = [...answers.slice(0, place), more, ...answers.slice(place)];
        const rank = (of: unknown): number => ranks.indexOf((of as string | undefined) ?? "allow");
        expect(rank(fold(strictest(), with_))).toBeGreaterThanOrEqual(rank(fold(strictest(), answers)));
      }),
      RUNS,
    );
  });

  test("once halted nothing changes, and only what is kept survives", () => {
    fc.assert(
      fc.property(fc.array(fields), fc.array(fields), (before, after) => {
        const halting = { block: true, text: "no" };
        expect(fold(blocked, [...before.filter((one) => one.block !== true), halting, ...after])).toEqual(halting);
      }),
      RUNS,
    );
  });
});

describe("single folds", () => {
  test.each([
    [last(), [1, 2, 3], 3],
    [first(), [1, 2, 3], 1],
    [collect(), [1, 2], [1, 2]],
    [concat(), [[1, 2], [], [2]], [1, 2, 2]],
    [prepend(), [1, 2], [2, 1]],
    [any(), [0, "", false], undefined],
    [any(), [0, "x"], true],
    [
      union<number>(),
      [
        [1, 2],
        [2, 3],
      ],
      [1, 2, 3],
    ],
    [
      meet<number>(),
      [
        [1, 2, 3],
        [3, 2],
      ],
      [2, 3],
    ],
    [shallow(), [{ a: 1, b: { c: 1 } }, { b: { d: 2 } }], { a: 1, b: { d: 2 } }],
    [
      record({ a: collect() }, last()),
      [
        { a: 1, x: 1 },
        { a: 2, y: 2 },
      ],
      { a: [1, 2], y: 2 },
    ],
  ] as [Fold<any, any>, unknown[], unknown][])("$0.name of $1 is $2", (by, answers, result) => {
    expect(fold(by, answers)).toEqual(result);
  });
});

describe("answers that are folded lane by lane", () => {
  const byLanes = (by: Fold<any, any>, lanes: readonly (readonly unknown[])[]): unknown =>
    fold(
      by,
      lanes.filter(({ length }) => length > 0).map((answers) => fold(by, answers)),
    );

  test("are collected as if there were one lane, also if an answer is a list itself", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.oneof(value, list))), (lanes) => {
        expect(byLanes(collect(), lanes)).toEqual(fold(collect(), lanes.flat()));
      }),
      RUNS,
    );
  });

  test("keep the other fields of the answer that ends the dispatch", () => {
    const answers = [{ remark: "one" }, { decision: "deny", remark: "two" }, { remark: "never asked" }];
    const whole = { decision: "deny", remark: ["one", "two"] };
    expect(fold(refused, answers)).toEqual(whole);
    expect(byLanes(refused, [answers.slice(0, 1), answers.slice(1)])).toEqual(whole);
  });
});
