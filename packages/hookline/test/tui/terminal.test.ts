import { Container, type Focusable, Input, Text, TuiMainScreen } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { LARGE, SMALL, VirtualTerminal } from "../support/terminal.ts";

test("the screen is what a terminal would show, and keys reach the focused component", async () => {
  using terminal = new VirtualTerminal(SMALL);
  const tui = new TuiMainScreen(terminal);
  const input = new Input();
  tui.addChild(new Text("a \x1b[1mbold\x1b[22m word", 0, 0));
  tui.addChild(input);
  tui.setFocus(input);
  tui.start();
  terminal.type("hallo");
  terminal.press("left", "backspace");
  expect(await terminal.screen()).toBe("a bold word\n> halo");
  expect((await terminal.screen({ styles: true })).split("\n")[0]).toBe("a ‹b:bold› word");
  tui.stop();
  expect([terminal.started, terminal.stopped]).toEqual([1, 1]);
});

test("a resize is drawn again, and a stalled terminal shows what it got once it goes on", async () => {
  using terminal = new VirtualTerminal(SMALL);
  const tui = new TuiMainScreen(terminal);
  tui.addChild(new Text(`${"x".repeat(79)} ${"y".repeat(20)}`, 0, 0));
  tui.start();
  expect((await terminal.screen()).split("\n")).toHaveLength(2);
  const release = terminal.stall();
  terminal.resize(LARGE);
  tui.addChild(new Text("late", 0, 0));
  tui.requestRender();
  await terminal.settled();
  expect(terminal.text()).not.toContain("late");
  release();
  expect((await terminal.screen()).split("\n")).toEqual([`${"x".repeat(79)} ${"y".repeat(20)}`, "late"]);
  tui.stop();
});

test("what a text can do to a terminal is seen", async () => {
  using terminal = new VirtualTerminal(SMALL);
  terminal.write(
    "\x1b]0;evil\x07\x1b]52;c;aGk=\x07\x1b]8;;http://x\x07link\x1b]8;;\x07\x07\x1b[?1049h\x1b[6n\x1b]9;note\x07",
  );
  terminal.write("\x1bPq#0\x1b\\");
  await terminal.settled();
  expect(terminal).toMatchObject({
    title: "evil",
    clipboard: ["aGk="],
    links: ["http://x"],
    commands: ["9;note"],
    bells: 1,
    alternate: true,
    modes: ["?1049h"],
    replies: ["\x1b[1;5R"],
    deviceStrings: ["#0"],
  });
});

test("the hardware cursor is where a focused component marks it", async () => {
  using terminal = new VirtualTerminal(SMALL);
  const tui = new TuiMainScreen(terminal, true);
  const input: Input & Focusable = new Input();
  const box = new Container();
  box.addChild(new Text("title", 0, 0));
  box.addChild(input);
  tui.addChild(box);
  tui.setFocus(input);
  tui.start();
  terminal.type("日本");
  await terminal.settled();
  expect(terminal.cursor).toEqual({ x: 6, y: 1, visible: true });
  tui.stop();
});

test("waiting for a text that never comes reports what the screen shows", async () => {
  using terminal = new VirtualTerminal(SMALL);
  terminal.write("only this");
  await expect(terminal.until("that", 50)).rejects.toThrow(/never showed that[\s\S]*only this/);
});
