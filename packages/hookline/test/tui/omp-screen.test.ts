import { visibleWidth } from "@earendil-works/pi-tui";
import { beforeEach, describe, expect, test } from "vitest";
import { editing } from "../../src/tui/dialog/questions.ts";
import { statusLine } from "../../src/tui/footer.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { keyBytes } from "../support/keys.ts";

const theme = themeNamed("dark") as never;
beforeEach(() => useTheme(theme));

/** Returns the result of `ctx.ui.editor` after these keys; "open" while it is still asking. */
function edited(promptStyle: boolean, ...keys: readonly string[]): string | undefined {
  const tui: any = { requestRender: () => {}, terminal: { rows: 24, columns: 80 } };
  let answer: string | undefined = "open";
  const dialog = editing("Title", "one", promptStyle, { tui, theme: () => theme })((given) => (answer = given));
  for (const key of keys) dialog.handleInput?.(key);
  return answer;
}

const ENTER = keyBytes("enter");
const SHIFT_ENTER = keyBytes("shift+enter");
const CTRL_ENTER = "\x1b[13;5u";

describe("the editor of ctx.ui", () => {
  test("[omp.ui.13] Enter is a line break and Ctrl+Enter submits", () => {
    expect(edited(false, ENTER, "t")).toBe("open");
    expect(edited(false, ENTER, "t", CTRL_ENTER)).toBe("one\nt");
    expect(edited(false, "!", keyBytes("ctrl+s"))).toBe("one!");
  });

  test("[omp.ui.13] in the style of a prompt Enter submits and Shift+Enter is a line break", () => {
    expect(edited(true, SHIFT_ENTER, "t")).toBe("open");
    expect(edited(true, SHIFT_ENTER, "t", ENTER)).toBe("one\nt");
  });

  test("escape gives nothing in both styles", () => {
    expect([edited(false, "x", keyBytes("escape")), edited(true, "x", keyBytes("escape"))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("the status line", () => {
  const line = (statuses: Readonly<Record<string, string>>, width = 80): string =>
    statusLine(new Map(Object.entries(statuses)), width);

  test("[omp.statusline.2] statuses come in the order of their keys, whenever they were set", () => {
    expect(line({ z: "last", a: "first", m: "middle" })).toBe("first middle last");
  });

  test("[omp.statusline.3] each is one line with single spaces", () => {
    expect(line({ a: " a\n\tb   c\r\n " })).toBe("a b c");
    expect(line({ a: " \n ", b: "b" })).toBe("b");
  });

  test("[omp.statusline.4] joined they are cut to the width, with an ellipsis, wide characters counted as two", () => {
    expect(line({ a: "abc", b: "def" }, 7)).toBe("abc def");
    expect(plain(line({ a: "abc", b: "defg" }, 7))).toBe("abc de…");
    const wide = plain(line({ a: "日本語日本語" }, 8));
    expect(visibleWidth(wide)).toBeLessThanOrEqual(8);
    expect(wide).toBe("日本語…");
    expect(line({})).toBe("");
  });

  test("a colour is kept, and cutting never breaks it", () => {
    const cut = line({ a: "\x1b[31mred and long\x1b[0m" }, 6);
    expect(plain(cut)).toBe("red a…");
    expect(cut).toMatch(/^\x1b\[31m/);
    expect(cut.replaceAll(/\x1b\[[0-9;]*m/g, "")).not.toContain("\x1b");
  });
});

function plain(text: string): string {
  return text.replaceAll(/\x1b\[[0-9;]*m/g, "");
}
