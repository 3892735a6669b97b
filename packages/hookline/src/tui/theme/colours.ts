/** A colour of a theme: `#rrggbb`, an index of the 256-colour palette, or an empty text for the terminal's default. */
export type Colour = string | number;

/** How colours are written: exactly, or as the nearest of 256 colours. */
export type ColourMode = "truecolor" | "256color";

/** Returns the terminal's colour mode: 256 colours, unless the environment says that it has more. */
export function colourMode(env: Readonly<Record<string, string | undefined>>): ColourMode {
  const { COLORTERM, WT_SESSION } = env;
  return COLORTERM === "truecolor" || COLORTERM === "24bit" || WT_SESSION ? "truecolor" : "256color";
}

/** Returns the control sequence that turns a colour on; an empty colour is the terminal's default. */
export function colourCode(colour: Colour, mode: ColourMode, ground: "fg" | "bg"): string {
  const base = ground === "fg" ? 38 : 48;
  if (colour === "") return `\x1b[${base + 1}m`;
  if (typeof colour === "number") return `\x1b[${base};5;${colour}m`;
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (parts === null) throw new Error(`Invalid color value: ${colour}`);
  const [red, green, blue] = parts.slice(1).map((part) => Number.parseInt(part, 16)) as [number, number, number];
  if (mode === "truecolor") return `\x1b[${base};2;${red};${green};${blue}m`;
  return `\x1b[${base};5;${nearestOf256(red, green, blue)}m`;
}

const STEPS = [0, 95, 135, 175, 215, 255];

/** Returns the index of the nearest colour in the 256-colour palette: in its cube, or in its greys if one is nearer. */
function nearestOf256(red: number, green: number, blue: number): number {
  const [r, g, b] = [red, green, blue].map(nearestStep) as [number, number, number];
  const cube = distance([red, green, blue], [STEPS[r], STEPS[g], STEPS[b]]);
  const shade = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const grey = 8 + shade * 10;
  return distance([red, green, blue], [grey, grey, grey]) < cube ? 232 + shade : 16 + 36 * r + 6 * g + b;
}

function nearestStep(value: number): number {
  const distances = STEPS.map((step) => Math.abs(step - value));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: readonly number[], b: readonly (number | undefined)[]): number {
  return a.reduce((sum, value, i) => sum + (value - (b[i] ?? 0)) ** 2, 0);
}
