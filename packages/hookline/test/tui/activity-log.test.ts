import type { TraceLine } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { ActivityLog } from "../../src/tui/panel/activity-log.ts";
import { dispatchPage, eventName } from "../../src/tui/panel/dispatch-page.ts";
import { hardWrap } from "../../src/tui/panel/page.ts";
import { differing, preview } from "../../src/tui/panel/preview.ts";

type Run = TraceLine["hooks"][number];

function line(more: Partial<TraceLine> = {}): TraceLine {
  return {
    v: 1,
    t: 0,
    session: "s",
    event: "tool.before",
    lane: ["pi"],
    pass: 1,
    hooks: [],
    edits: [],
    outcome: {},
    diagnostics: [],
    ms: 1,
    ...more,
  };
}

const run = (id: string, ms: number, more: Partial<Run> = {}): Run => ({
  id,
  lane: "pi",
  source: `/x/${id}.ts`,
  pass: 1,
  status: "no-answer",
  ms,
  ...more,
});

describe("the log", () => {
  test("keeps the latest five hundred and counts them all", () => {
    const log = new ActivityLog();
    for (let at = 0; at < 10_000; at++) log.write(line({ t: at }));
    expect(log.count).toBe(10_000);
    expect(log.latest()).toHaveLength(500);
    expect(log.latest()[0]).toMatchObject({ number: 10_000, t: 9999 });
  });

  test("holds no value that went through: long ones are cut, and keys are taken out", () => {
    const log = new ActivityLog((text) => text.replaceAll("sk-secret", "***"));
    const big = "x".repeat(10_000_000);
    const edit = { hook: "h", lane: "pi", field: "content", from: big, to: `${big}!`, pass: 1 as const };
    log.write(line({ edits: [edit], outcome: { text: `sk-secret${big}` }, hooks: [run("a", 1, { answer: { big } })] }));
    expect(JSON.stringify(log.latest()).length).toBeLessThan(10_000);
    expect(JSON.stringify(log.latest())).not.toContain("sk-secret");
  });

  test("says who decided what and why", () => {
    const log = new ActivityLog();
    const answer = { block: true };
    log.write(line({ outcome: { decision: "deny", reason: "no" }, hooks: [run("guard", 1, { answer })] }));
    expect(log.latest()[0]?.verdict).toBe("guard.ts refused it: no");
  });

  test("a removed listener is not called again", () => {
    const log = new ActivityLog();
    let heard = 0;
    const stop = log.listen(() => (heard += 1));
    log.write(line());
    stop();
    log.write(line());
    expect(heard).toBe(1);
  });
});

describe("a value as text", () => {
  test("looks like JSON, and is cut at the width", () => {
    expect(preview({ a: [1, "b", null], c: undefined, d: () => 1 }, 100)).toBe('{a: [1, "b", null]}');
    expect(preview("as it is", 100)).toBe("as it is");
    expect(preview("abcdef", 3)).toBe("abc…");
    const looked: number[] = [];
    const list = Array.from({ length: 1000 }, (_, at) => ({
      get at() {
        looked.push(at);
        return at;
      },
    }));
    preview(list, 50);
    expect(looked.length).toBeLessThan(20);
  });

  test("circles and depths end", () => {
    const circle: any = {};
    circle.self = circle;
    expect(preview(circle, 100)).toBe("{self: (again)}");
    let deep: any = {};
    for (let at = 0; at < 1000; at++) deep = { deep };
    expect(preview(deep, 10_000)).toContain("(again)");
  });

  test("two texts are shown from their first difference", () => {
    const same = "y".repeat(50);
    expect(differing(`${same}one`, `${same}two`, 20)).toEqual([`…${"y".repeat(12)}one`, `…${"y".repeat(12)}two`]);
    expect(differing("a", "b", 20)).toEqual(["a", "b"]);
  });
});

test("hooks that ran in order are shown one after the other, parallel ones below each other", () => {
  const log = new ActivityLog();
  const hooks = [run("a#stop[0]", 50), run("b#stop[0]", 50), run("p#x[0]", 50), run("p#x[1]", 100)];
  log.write(line({ ms: 200, hooks }));
  const about = { isParallel: (id: string) => id.startsWith("p"), path: (text: string) => text };
  const bars = dispatchPage(log.latest()[0] as never, about)
    .filter(({ text }) => text.includes("▇"))
    .map(({ text }) => [text.indexOf("▇"), text.lastIndexOf("▇") + 1]);
  expect(bars).toEqual([
    [0, 6],
    [6, 12],
    [12, 18],
    [12, 24],
  ]);
});

describe("wrapping", () => {
  test.each([
    ["", 5, [""]],
    ["abcde", 5, ["abcde"]],
    ["abc def ghi", 4, ["abc ", "def ", "ghi"]],
    ["   x   ", 3, ["   ", "x  ", " "]],
    ["日本語", 4, ["日本", "語"]],
  ])("%j at %i loses no character", (text, width, lines) => {
    expect(hardWrap(text, width)).toEqual(lines);
  });
});

describe("the name of an event", () => {
  test.each([
    ["of one dialect", ["claude:~/s.json#PreToolUse[0]", "claude:~/s.json#PreToolUse[1]"], "PreToolUse"],
    ["of two dialects", ["claude:~/s.json#PreToolUse[0]", "pi:~/g.ts#tool_call[0]"], "tool.before"],
    ["of a guard of hookline's", ["hookline:~/g.ts#tool.before[0]"], "tool.before"],
    ["of a hook without a place", ["fleet"], "tool.before"],
    ["of nobody", [], "tool.before"],
  ])("is that of the hooks that were asked, if they agree: %s", (_, ids, wanted) => {
    const skipped = run("jcli:~/hooks.yaml#pre_tool_execution[0]", 0, { status: "skipped" });
    const log = new ActivityLog();
    log.write(line({ hooks: [...ids.map((id) => run(id, 1)), skipped] }));
    expect(eventName(log.latest()[0] as never)).toBe(wanted);
  });
});
