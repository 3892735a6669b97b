import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changeState, readState, withActivity, withCurrent, withoutContext } from "../../src/context/state.ts";
import { scratch } from "./scratch.ts";

const raw = (home: string): any => JSON.parse(readFileSync(join(home, "state.json"), "utf8"));

test("without a state the default context is current and none is listed", () => {
  expect(readState(scratch())).toEqual({ contexts: [], current: "default", previous: undefined });
});

test("a change is written in chibi's layout", () => {
  const home = scratch();
  changeState(home, (state) => withActivity(withCurrent(state, "work"), "work", 100));
  expect(raw(home)).toEqual({
    contexts: [
      { name: "work", created_at: 100, last_activity_at: 100, destroy_after_seconds_inactive: 0, destroy_at: 0 },
    ],
    current_context: "work",
    previous_context: "default",
  });
});

test("what chibi has written beside stays, in entries too", () => {
  const home = scratch();
  const entry = { name: "old", created_at: 1, last_activity_at: 2, destroy_after_seconds_inactive: 60, destroy_at: 9 };
  writeFileSync(join(home, "state.json"), JSON.stringify({ contexts: [entry], current_context: "old", later: true }));
  changeState(home, (state) => withActivity(state, "old", 50));
  changeState(home, (state) => withActivity(state, "new", 60));
  expect(raw(home)).toMatchObject({
    contexts: [{ name: "new" }, { ...entry, last_activity_at: 50 }],
    current_context: "old",
    later: true,
  });
});

test.each(["", "{", "[]", "null", '{"contexts":7,"current_context":"../x","previous_context":3}'])(
  "a damaged state %j is as if nothing had been said",
  (text) => {
    const home = scratch();
    writeFileSync(join(home, "state.json"), text);
    expect(readState(home)).toEqual({ contexts: [], current: "default", previous: undefined });
  },
);

test("entries whose names could lead out of the folder are not listed", () => {
  const home = scratch();
  writeFileSync(join(home, "state.json"), JSON.stringify({ contexts: [{ name: "../x" }, null, "a", { name: "b" }] }));
  expect(readState(home).contexts.map(({ name }) => name)).toEqual(["b"]);
});

test("making the current context current again keeps the one before", () => {
  const state = { contexts: [], current: "a", previous: "b" };
  expect(withCurrent(state, "a")).toBe(state);
  expect(withCurrent(state, "c")).toMatchObject({ current: "c", previous: "a" });
});

test("a context that is gone is neither current nor previous", () => {
  const state = withActivity({ contexts: [], current: "a", previous: "a" }, "a", 1);
  expect(withoutContext(state, "a")).toEqual({ contexts: [], current: "default", previous: undefined });
});
