import { describe, expect, test } from "vitest";
import { Waiting } from "../../src/mode/interactive/waiting.ts";

/** A person's waiting room with a clock that a test moves. */
function room() {
  let now = 0;
  const due = new Map<() => void, number>();
  const told: string[] = [];
  const waiting = new Waiting(
    ({ type, title }) => told.push(title === undefined ? type : `${type} ${title}`),
    (ms, act) => {
      due.set(act, now + ms);
      return () => void due.delete(act);
    },
  );
  const pass = (ms: number): void => {
    now += ms;
    for (const [act, at] of [...due]) {
      if (at > now || !due.delete(act)) continue;
      act();
    }
  };
  return { waiting, told, pass, due };
}

describe("a question", () => {
  test("is announced once, when it has been open for 6 s without a key press", async () => {
    const { waiting, told, pass } = room();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = waiting.during("Run bash?", promise);
    pass(5_999);
    expect(told).toEqual([]);
    pass(1);
    expect(told).toEqual(["permission_prompt Run bash?"]);
    waiting.key();
    pass(60_000);
    expect(told).toHaveLength(1);
    resolve(true);
    expect(await answer).toBe(true);
  });

  test("restarts its time at each key press, and is not announced once it is answered", async () => {
    const { waiting, told, pass, due } = room();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = waiting.during("Run bash?", promise);
    pass(5_000);
    waiting.key();
    pass(5_000);
    expect(told).toEqual([]);
    resolve(false);
    await answer;
    pass(60_000);
    expect(told).toEqual([]);
    expect(due.size).toBe(0);
  });

  test("that is given up, or fails, leaves no timer behind", async () => {
    const { waiting, due } = room();
    await expect(waiting.during("a", Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(due.size).toBe(0);
  });
});

describe("an idle agent", () => {
  test("is announced once, 60 s after it has settled", () => {
    const { waiting, told, pass } = room();
    waiting.settled();
    pass(59_999);
    expect(told).toEqual([]);
    pass(1);
    pass(600_000);
    expect(told).toEqual(["idle_prompt"]);
  });

  test("is not announced if a key was pressed or the agent works again", () => {
    const { waiting, told, pass } = room();
    waiting.settled();
    waiting.key();
    pass(60_000);
    waiting.settled();
    waiting.busy();
    pass(60_000);
    expect(told).toEqual([]);
  });
});
