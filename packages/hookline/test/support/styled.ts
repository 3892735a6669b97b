import type xterm from "@xterm/headless";

/** Rows of a terminal's buffer as texts without blanks at their ends, with marks around styled runs if wanted. */
export function viewportLines(
  buffer: xterm.IBuffer,
  from: number,
  count: number,
  columns: number,
  styles: boolean,
): string[] {
  const lines: string[] = [];
  for (let y = from; y < from + count; y++) {
    const line = buffer.getLine(y);
    if (line === undefined) lines.push("");
    else lines.push(styles ? styledLine(line, columns) : line.translateToString(true).trimEnd());
  }
  return lines;
}

function styledLine(line: xterm.IBufferLine, columns: number): string {
  let text = "";
  let run = "";
  for (let x = 0; x < columns; x++) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    if (style !== run) {
      text += `${run === "" ? "" : "›"}${style === "" ? "" : `‹${style}:`}`;
      run = style;
    }
    text += cell.getChars() || " ";
  }
  return `${text.trimEnd()}${run === "" ? "" : "›"}`;
}

function styleOf(cell: xterm.IBufferCell): string {
  const flags = [
    cell.isBold() ? "b" : "",
    cell.isDim() ? "d" : "",
    cell.isItalic() ? "i" : "",
    cell.isUnderline() ? "u" : "",
    cell.isStrikethrough() ? "s" : "",
    cell.isInverse() ? "v" : "",
    colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    cell.isBgDefault() ? "" : `/${colour(false, cell.isBgRGB(), cell.getBgColor())}`,
  ];
  return flags.join("");
}

function colour(isDefault: boolean, isRgb: boolean, value: number): string {
  if (isDefault) return "";
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : `${value}`;
}
