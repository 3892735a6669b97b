/** The escape codes that turn a style on and off. */
type Pair = readonly [on: string, off: string];

const modifiers: Readonly<Record<string, readonly [number, number]>> = {
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  overline: [53, 55],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
};
const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const styles: ReadonlyMap<string, Pair> = new Map(
  [
    ...Object.entries(modifiers),
    ...colours.flatMap((name, i): [string, readonly [number, number]][] => [
      [name, [30 + i, 39]],
      [`${name}Bright`, [90 + i, 39]],
      [`bg${capital(name)}`, [40 + i, 49]],
      [`bg${capital(name)}Bright`, [100 + i, 49]],
    ]),
    ["gray", [90, 39]] as const,
    ["grey", [90, 39]] as const,
    ["bgGray", [100, 49]] as const,
    ["bgGrey", [100, 49]] as const,
  ].map(([name, [on, off]]) => [name as string, [sgr(on), sgr(off)]]),
);

/** Functions that return the style for a colour, by name. */
const painters: Readonly<Record<string, (...args: never[]) => Pair>> = {
  rgb: (r: number, g: number, b: number) => [sgr(`38;2;${r};${g};${b}`), sgr(39)],
  bgRgb: (r: number, g: number, b: number) => [sgr(`48;2;${r};${g};${b}`), sgr(49)],
  hex: (hex: string) => [sgr(`38;2;${parts(hex).join(";")}`), sgr(39)],
  bgHex: (hex: string) => [sgr(`48;2;${parts(hex).join(";")}`), sgr(49)],
  ansi256: (code: number) => [sgr(`38;5;${code}`), sgr(39)],
  bgAnsi256: (code: number) => [sgr(`48;5;${code}`), sgr(49)],
};

/** Styles texts in chains, as the package `chalk` does: `chalk.bold.red("no")`. */
export type Chalk = ((...parts: unknown[]) => string) & { level: number } & {
  readonly [style: string]: Chalk & ((...args: never[]) => Chalk);
};

/** Makes a `Chalk` without styles, the beginning of every chain. All chains share its `level`; 0 means no styles. */
export function createChalk(level: number): Chalk {
  const state = { level };
  const chain = (pairs: readonly Pair[]): Chalk =>
    new Proxy((...parts: unknown[]) => painted(parts.map(String).join(" "), state.level === 0 ? [] : pairs), {
      get(target, name) {
        if (name === "level") return state.level;
        const pair = typeof name === "string" ? styles.get(name) : undefined;
        if (pair !== undefined) return chain([...pairs, pair]);
        const painter = typeof name === "string" && Object.hasOwn(painters, name) ? painters[name] : undefined;
        if (painter !== undefined) return (...args: never[]) => chain([...pairs, painter(...args)]);
        return name === "visible" ? chain(pairs) : Reflect.get(target, name);
      },
      set(target, name, value) {
        if (name !== "level") return Reflect.set(target, name, value);
        state.level = Number(value);
        return true;
      },
    }) as unknown as Chalk;
  return chain([]);
}

/** Returns the colour level of a program: 0 if the environment says so or the output is not a terminal, otherwise 3. */
export function colourLevel(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): number {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced === "0" || forced === "false" ? 0 : 3;
  return env["NO_COLOR"] !== undefined || env["TERM"] === "dumb" || !isTerminal ? 0 : 3;
}

/** Applies styles. They are closed at line ends, and reopened after an inner style of the same kind. */
function painted(text: string, pairs: readonly Pair[]): string {
  if (text === "" || pairs.length === 0) return text;
  let inner = text;
  for (const [on, off] of pairs) inner = inner.replaceAll(off, off + on);
  const opened = pairs.map(([on]) => on).join("");
  const closed = pairs
    .map(([, off]) => off)
    .reverse()
    .join("");
  return opened + inner.replace(/(\r?\n)/g, `${closed}$1${opened}`) + closed;
}

function sgr(code: number | string): string {
  return `\u001b[${code}m`;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function parts(hex: string): number[] {
  const digits = hex.replace(/^#/, "");
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const value = Number.parseInt(full, 16) || 0;
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
