import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { cleanText } from "@hookline/ground";

/**
 * Matches a picture exactly as pi-tui writes it, in kitty's (`\x1b_G`) or iTerm2's protocol (`\x1b]1337`). The data is
 * in the sequence itself, which never names a file to read.
 */
const PICTURE =
  /^(?:\x1b\[\d{1,3}A)?(?:\x1b_Ga=T,f=100,q=2(?:,[Ccrim]=\d+)*;[\w+/=]*\x1b\\(?:\x1b_Gm=[01];[\w+/=]*\x1b\\)*|\x1b\]1337;File=inline=1(?:;(?:size|width|height|preserveAspectRatio)=[\w%]+)*:[\w+/=]*\x07)$/;
const COLOURS = /\x1b\[([0-9;:]*)m/g;

/** The width and the colour mode for which a drawn line is made harmless. */
export interface LineRules {
  readonly width: number;
  /** Removes colours but keeps bold and inverse text (NO_COLOR). */
  readonly plain: boolean;
}

/**
 * Makes one drawn line harmless, whoever drew it (guarantees R20). The only control sequences that it keeps are SGR,
 * the cursor's mark and pi-tui's pictures. Nothing exceeds the width.
 */
export function inertLine(line: string, { width, plain }: LineRules): string {
  if (PICTURE.test(line)) return line;
  // The cursor's mark is a control sequence, too, so the line is cleaned between the marks.
  const parts = line.split(CURSOR_MARKER).map((part) => cleanText(part, { keepSgr: true, lines: "fold" }));
  const clean = parts.join(CURSOR_MARKER);
  const fitting = visibleWidth(clean) > width ? truncateToWidth(clean, width, "") : clean;
  return plain ? withoutColours(fitting) : fitting;
}

/** Removes the colours from styled text. */
export function withoutColours(line: string): string {
  return line.replace(COLOURS, (_, list: string) => {
    const kept = keptCodes(list.split(/[;:]/));
    return kept.length === 0 && list !== "" && list !== "0" ? "" : `\x1b[${kept.join(";")}m`;
  });
}

function keptCodes(codes: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 38 || code === 48 || code === 58) at += codes[at + 1] === "5" ? 2 : 4;
    else if (code < 30 || (code > 49 && code < 58)) kept.push(String(code));
  }
  return kept;
}
