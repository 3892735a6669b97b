import { visibleWidth } from "@earendil-works/pi-tui";
import { currentTheme } from "../theme/current.ts";
import { fit } from "./line.ts";

/** A key and what it does. */
export type Hint = readonly [key: string, does: string];

/** Draws a horizontal line with a title, and a remark at its end. */
export function ruled(title: string, remark: string, width: number): string {
  const theme = currentTheme();
  const rule = (count: number): string => theme.fg("border", "─".repeat(Math.max(0, count)));
  const head = fit(title, width - 6);
  const left = width - visibleWidth(head) - 4;
  const tail = remark === "" || visibleWidth(remark) + 4 > left ? "" : remark;
  const gap = left - (tail === "" ? 0 : visibleWidth(tail) + 2);
  const end = tail === "" ? rule(gap) : `${rule(gap - 2)} ${theme.fg("muted", tail)} ${rule(2)}`;
  return fit(`${rule(2)} ${theme.bold(theme.fg("accent", head))} ${end}`, width);
}

/** Draws the keys of a dialog on one line; the last ones are dropped if there is no room. */
export function hintLine(hints: readonly Hint[], width: number): string {
  const theme = currentTheme();
  let line = "";
  let used = 0;
  for (const [key, does] of hints) {
    const size = key.length + does.length + 1 + (line === "" ? 1 : 3);
    if (used + size > width) break;
    line += `${line === "" ? " " : theme.fg("dim", " · ")}${theme.fg("text", key)} ${theme.fg("dim", does)}`;
    used += size;
  }
  return line;
}

/** Draws a dialog's body between its title and its keys; no line is wider than the screen. */
export function framed(
  frame: { readonly title: string; readonly remark?: string; readonly hints: readonly Hint[] },
  body: readonly string[],
  width: number,
): string[] {
  const { title, remark = "", hints } = frame;
  return [ruled(title, remark, width), ...body.map((line) => fit(line, width)), hintLine(hints, width)];
}
