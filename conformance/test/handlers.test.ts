import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { ROW_FIELDS } from "../../packages/bridge/src/report/row-fields.ts";
import { handlerOf } from "../../scripts/event-handlers.ts";
import type { Case } from "../case.ts";
import { fromData, toData } from "../data.ts";
import { readCases } from "../requirement.ts";
import { observe } from "../run.ts";

/** The handlers on the pages of events: each is run with an event that a case shows, and its answer is judged by the real tables. */
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-handlers-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Event = Record<string, unknown>;

/** The answer of a handler as a dialect's transport gives it, and how the handler changed the event in place. */
async function asked(lane: string, name: string, text: string, event: Event): Promise<Partial<Case["hooks"][number]>> {
  if (lane === "pi" || lane.startsWith("omp")) {
    const handlers = new Map<string, (event: Event) => unknown>();
    const here = text.replace('"events.jsonl"', JSON.stringify(join(folder, "events.jsonl")));
    const { default: load } = await import(`data:text/javascript,${encodeURIComponent(here)}`);
    load({ on: (on: string, run: (event: Event) => unknown) => handlers.set(on, run) });
    const shown = fromData(event) as Event;
    const answer = toData(handlers.get(name.replace(/ .*/, ""))?.(shown));
    return { ...(answer !== undefined && { answer }), edit: changes(event, shown) };
  }
  const line =
    lane === "jcli"
      ? parse(text)[name][0].command
      : lane === "claude"
        ? JSON.parse(text).hooks[name][0].hooks[0].command
        : text;
  const { stdout, stderr, status } = spawnSync("sh", ["-c", line], {
    cwd: folder,
    input: JSON.stringify(event),
    encoding: "utf8",
  });
  if (stdout === "" && status === 0) return {};
  if (lane === "claude") return { answer: { stdout, ...(status !== 0 && { exit: status, stderr: stderr.trim() }) } };
  expect(status).toBe(0);
  return { answer: JSON.parse(stdout) };
}

/** Values that were changed within the event's own objects, by their paths. */
function changes(before: Event, after: Event): Event {
  const found: Event = {};
  for (const [key, value] of Object.entries(after)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    for (const [inner, now] of Object.entries(value))
      if (JSON.stringify(toData(now)) !== JSON.stringify((before[key] as Event)[inner])) found[`${key}.${inner}`] = now;
  }
  return found;
}

/** The rows of the tables, each once: a lane's event and what it can answer. */
const rows = new Map<string, { readonly lane: string; readonly name: string; readonly answers: boolean }>();
for (const dialect of dialects)
  for (const { id: lane, rows: events } of dialect.lanes)
    for (const { name, of } of events) {
      const [, given = ""] = ROW_FIELDS[`${lane} ${name} ${of}`]?.split(">") ?? [];
      const answers = given.trim() !== "" || rows.get(`${lane} ${name}`)?.answers === true;
      if (handlerOf(lane, name) !== undefined) rows.set(`${lane} ${name}`, { lane, name, answers });
    }

/** A case in which the event is shown to a hook, with a call and a result that handlers judge. */
function caseOf(lane: string, name: string): Case {
  const dialect = lane.replace(/-hooks$/, "");
  const found = readCases(dialect).find(
    ({ hooks, expect: { saw } }) =>
      hooks[0]?.event === name && (hooks[0].lane ?? dialect) === lane && (saw?.length ?? 0) > 0,
  );
  if (found === undefined) throw new Error(`no case shows ${name} to a hook of ${lane}`);
  const { payload } = found;
  const args = payload["args"] as Event | undefined;
  return {
    ...found,
    payload: {
      ...payload,
      ...(args?.["command"] !== undefined && { args: { ...args, command: "rm -rf build" } }),
      ...(Array.isArray(payload["content"]) && { content: [{ type: "text", text: "the key is sk-1" }] }),
    },
    times: 1,
  };
}

test.each([...rows.values()])(
  "the page's hook of $lane for $name does what it says",
  async ({ lane, name, answers }) => {
    const [, text] = handlerOf(lane, name) ?? ["js", ""];
    const shown = caseOf(lane, name);
    const hook = { event: name, lane };
    const [event] = (await observe({ ...shown, hooks: [hook] }, dialects)).saw;
    const said = await asked(lane, name, text, event as Event);
    const { answer, diagnostics } = await observe({ ...shown, hooks: [{ ...hook, ...said }] }, dialects);
    expect(diagnostics).toEqual([]);
    if (answers) expect(answer).not.toEqual({});
    else
      expect([text, said]).toEqual([
        expect.stringContaining("events.jsonl"),
        expect.not.objectContaining({ answer: expect.anything() }),
      ]);
  },
);
