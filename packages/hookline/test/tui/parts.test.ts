import { CURSOR_MARKER, encodeITerm2, encodeKitty, visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { statusLine } from "../../src/tui/footer.ts";
import { inertLine, withoutColours } from "../../src/tui/inert.ts";
import { shown } from "../../src/tui/shown.ts";
import { Outlet } from "../../src/tui/terminal/outlet.ts";

const rules = { width: 40, plain: false };
const again = (): Promise<void> => new Promise((done) => setTimeout(done, 30));

test.each([
  ["text", "plain"],
  ["styles", "\x1b[1mbold\x1b[0m"],
  ["the cursor's mark", `a${CURSOR_MARKER}b`],
  ["a picture for kitty", encodeKitty("AAAA", { columns: 2, rows: 2, imageId: 7 })],
  ["a long picture for kitty", encodeKitty("A".repeat(9000), { columns: 2 })],
  ["a picture for iTerm", `\x1b[2A${encodeITerm2("AAAA", { width: 4, height: "auto" })}`],
])("a line with %s is drawn as it is", (_, line) => {
  expect(inertLine(line, rules)).toBe(line);
});

test.each([
  ["a picture from a file", "\x1b_Ga=T,f=100,q=2,t=f;L2V0Yy9wYXNzd2Q=\x1b\\"],
  ["a file to keep", encodeITerm2("AAAA", { inline: false, name: "x" })],
  ["a picture with something behind it", `${encodeKitty("AAAA")}\x1b]0;title\x07`],
  ["a title", "\x1b]0;title\x07"],
  ["a link", "\x1b]8;;http://x\x07click\x1b]8;;\x07"],
])("a line with %s keeps no control sequence", (_, line) => {
  expect(inertLine(line, rules)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
});

test("a line is cut at the width, whatever characters it is of", () => {
  for (const text of ["x".repeat(90), "漢字".repeat(40), `\x1b[31m${"é".repeat(90)}\x1b[0m`])
    expect(visibleWidth(inertLine(text, rules))).toBeLessThanOrEqual(40);
});

test.each([
  ["\x1b[1;38;5;200mx\x1b[22;39m", "\x1b[1mx\x1b[22m"],
  ["\x1b[38;2;1;2;3mx\x1b[0m", "x\x1b[0m"],
  ["\x1b[7;41mx\x1b[m", "\x1b[7mx\x1b[0m"],
  ["\x1b[97mx\x1b[39m", "x"],
])("without colours %j is %j", (line, plain) => {
  expect(withoutColours(line)).toBe(plain);
});

test("statuses are in the order of their keys, each cleaned for itself, all cut to the width", () => {
  const statuses = new Map([
    ["z", "last"],
    ["a", "first\n\tline"],
    ["m", "open \x1b]0;"],
    ["n", "title\x07 rest"],
    ["e", " "],
  ]);
  expect(statusLine(statuses, 80)).toBe("first line open ]0; title rest last");
  expect(visibleWidth(statusLine(new Map([["k", "x".repeat(200)]]), 30))).toBeLessThanOrEqual(30);
});

test("a long text shows its beginning or its end, and how much is left out", () => {
  const text = `begin${"x".repeat(3 * 1024 * 1024)}end`;
  expect(shown(text)).toMatch(/^begin[\s\S]*… 2\.9 MB more, not shown; the session has all of it$/);
  expect(shown(text, "end")).toMatch(/^… 2\.9 MB more[\s\S]*end$/);
  expect(shown("short\x1b[2J")).toBe("short");
});

/** A terminal that takes so many bytes at a time, and none while it is stopped. */
function slowTerminal(atOnce: number) {
  const state = { taken: "", calls: 0, isStopped: false };
  const sink = (bytes: Buffer): number => {
    state.calls += 1;
    if (state.isStopped) throw Object.assign(new Error("again"), { code: "EAGAIN" });
    const part = bytes.subarray(0, atOnce);
    state.taken += part.toString("latin1");
    return part.length;
  };
  return { state, outlet: new Outlet(sink) };
}

test("what is written at once goes out at once", async () => {
  const { state, outlet } = slowTerminal(1000);
  outlet.write("one ");
  outlet.write("two");
  await again();
  expect([state.taken, state.calls]).toEqual(["one two", 1]);
});

test("a terminal that takes nothing gets everything later, in order, and tells when", async () => {
  const { state, outlet } = slowTerminal(3);
  state.isStopped = true;
  let drained = 0;
  outlet.onDrained = () => (drained += 1);
  outlet.write("one ");
  await again();
  outlet.write("two");
  await again();
  expect([state.taken, outlet.isBusy, drained]).toEqual(["", true, 0]);
  state.isStopped = false;
  await again();
  expect([state.taken, outlet.isBusy, drained]).toEqual(["one two", false, 1]);
});

test("the last words are written before the end, or given up", () => {
  const { state, outlet } = slowTerminal(2);
  outlet.write("goodbye");
  expect([outlet.finish(), state.taken]).toEqual([true, "goodbye"]);
  state.isStopped = true;
  outlet.write("nobody hears");
  expect([outlet.finish(), outlet.isBusy]).toEqual([false, false]);
});

test("a closed terminal gets no output and stops nothing", async () => {
  const outlet = new Outlet(() => {
    throw Object.assign(new Error("gone"), { code: "EIO" });
  });
  outlet.write("anybody?");
  await again();
  expect(outlet.isBusy).toBe(false);
});
