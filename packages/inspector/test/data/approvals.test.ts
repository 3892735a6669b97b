import { expect, test } from "vitest";
import type { ApprovalLine, ApprovalQuestion } from "../../../hookline/src/inspect/api.ts";
import { Refused } from "../../src/data/api.ts";
import { type Asked, watchApprovals } from "../../src/data/approvals.ts";

const question = (id: string, state: ApprovalQuestion["state"] = "open"): ApprovalLine => ({
  kind: "question",
  question: { id, machine: "m", tool: "bash", args: {}, hooks: [], call: "", expires: 1, state },
});
const desk: ApprovalLine = { kind: "desk", full: false };

/** Follows streams of these lines, one after the other; the last one is refused with this code. */
async function told(streams: readonly (readonly ApprovalLine[])[], code = "unauthorized"): Promise<readonly Asked[]> {
  const all: Asked[] = [];
  const left = [...streams];
  async function* next(): AsyncGenerator<ApprovalLine> {
    const lines = left.shift();
    if (lines === undefined) throw new Refused(code, "no more");
    yield* lines;
  }
  await watchApprovals(next, new AbortController().signal, (asked) => all.push(asked));
  return all;
}
const states = ({ questions }: Asked) => [...questions.values()].map(({ id, state }) => `${id} ${state}`);

test("questions are told whole at first, and then as each comes, changes and goes", async () => {
  const lines = [question("a"), question("b"), desk, question("a", "sent"), { kind: "gone", id: "b" } as const];
  const all = await told([lines]);
  expect(all.map(states)).toEqual([["a open", "b open"], ["a sent", "b open"], ["a sent"], ["a sent"], ["a sent"]]);
  expect(all.map(({ away }) => away !== undefined)).toEqual([false, false, false, true, true]);
});

test("what was known stays until a new stream has told all, and goes where that does not have it", async () => {
  const away: ApprovalLine = { kind: "desk", away: "the connection was lost", full: true };
  const all = await told([
    [question("a"), desk],
    [question("b"), question("c"), away],
  ]);
  expect(all.map(states)).toEqual([
    ["a open"],
    ["a open"],
    ["b open", "c open"],
    ["b open", "c open"],
    ["b open", "c open"],
  ]);
  expect(all[2]).toMatchObject({ away: "the connection was lost", full: true });
});

test("a server that does not answer is asked again, one that refuses is not", async () => {
  const all: Asked[] = [];
  const ended = new AbortController();
  let asked = 0;
  await watchApprovals(
    () => {
      asked += 1;
      if (asked === 3) ended.abort();
      throw new Refused(asked === 1 ? "unreachable" : "too-many", `attempt ${asked}`);
    },
    ended.signal,
    (one) => all.push(one),
  );
  expect(asked).toBe(3);
  expect(all.map(({ away }) => away)).toEqual(["attempt 1", "attempt 2"]);
  expect((await told([], "unauthorized")).length).toBe(1);
});
