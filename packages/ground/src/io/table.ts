import { cleanText } from "../decode/text.ts";

/** Puts a foreign text on one line and makes it safe for a terminal. */
export function plain(text: string): string {
  return cleanText(text, { controls: "show", lines: "fold" });
}

/** Formats rows as aligned columns; the first row is the header. Columns that are empty in every row are left out. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(plain));
  const used = (clean[0] ?? []).map((_, at) => at).filter((at) => clean.slice(1).some((row) => row[at] !== ""));
  const widths = used.map((at) => Math.max(...clean.map((row) => row[at]?.length ?? 0)));
  return clean
    .map((row) => {
      const cells = used.map((at, n) => (row[at] ?? "").padEnd(widths[n] as number));
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** Formats milliseconds. Values below 10 have two decimals. */
export function ms(value: number): string {
  return value < 10 ? `${Math.round(value * 100) / 100}` : `${Math.round(value)}`;
}
