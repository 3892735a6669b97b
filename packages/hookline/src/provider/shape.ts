import { chooseFrom, isFields } from "@hookline/ground";

/** The position of a value in its file: keys and list indexes from the top. */
export type Path = readonly (string | number)[];

/** A problem with one value of a file. */
export interface Problem {
  readonly path: Path;
  readonly problem: string;
  readonly remedy: string;
  /** The unknown key, if that is the problem. */
  readonly unknownKey?: string;
}

/** Checks one value of a file and returns what is wrong with it. */
export type Check = (value: unknown, path: Path) => readonly Problem[];

/** Checks for a mapping with these keys and no others; `required` ones must be present. */
export function object(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, path) => {
    if (!isFields(value)) return wrong(path, "must be a mapping", value);
    const found = Object.entries(value).flatMap(([key, inner]) => {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return check === undefined
        ? [unknownKey([...path, key], key, Object.keys(fields))]
        : check(inner, [...path, key]);
    });
    const missing = required.filter((key) => !Object.hasOwn(value, key));
    return [
      ...found,
      ...missing.map((key) => ({ path, problem: `${name(path)} has no "${key}"`, remedy: `Add "${key}".` })),
    ];
  };
}

/** Checks for a mapping with any keys, whose values all pass one check. */
export function record(check: Check): Check {
  return (value, path) =>
    isFields(value)
      ? Object.entries(value).flatMap(([key, inner]) => check(inner, [...path, key]))
      : wrong(path, "must be a mapping", value);
}

/** Checks for a list whose items all pass one check. */
export function list(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((inner, index) => check(inner, [...path, index]))
      : wrong(path, "must be a list", value);
}

/** Checks for a text. */
export const text: Check = (value, path) =>
  typeof value === "string" ? [] : wrong(path, "must be text", value, "Put it in quotes.");

/** Checks for a text with at least one character. */
export const word: Check = (value, path) =>
  value === "" ? wrong(path, "must not be empty", value) : text(value, path);

/** Checks for true or false. */
export const flag: Check = (value, path) =>
  typeof value === "boolean" ? [] : wrong(path, "must be true or false", value);

/** Accepts any value. */
export const whatever: Check = () => [];

/** Checks for a number of at least `least`. */
export function number(least = 0): Check {
  return (value, path) =>
    typeof value === "number" && Number.isFinite(value) && value >= least
      ? []
      : wrong(path, `must be a number from ${least} up`, value);
}

/** Checks for one of the given words. */
export function oneOf(...words: string[]): Check {
  return (value, path) =>
    typeof value === "string" && words.includes(value) ? [] : wrong(path, `must be one of ${words.join(", ")}`, value);
}

/** Checks for a valid regular expression, as text. */
export const pattern: Check = (value, path) => {
  if (typeof value !== "string") return text(value, path);
  try {
    new RegExp(value, "u");
    return [];
  } catch (thrown) {
    const why = (thrown as SyntaxError).message.replace(/^Invalid regular expression: /, "");
    return [{ path, problem: `${name(path)} is not a regular expression: ${why}`, remedy: "Correct the pattern." }];
  }
};

function unknownKey(path: Path, key: string, known: readonly string[]): Problem {
  return { path, problem: `unknown key "${key}"`, remedy: chooseFrom(key, known), unknownKey: key };
}

function wrong(path: Path, what: string, value: unknown, remedy = "Correct the value."): readonly Problem[] {
  return [{ path, problem: `${name(path)} ${what}, not ${kind(value)}`, remedy }];
}

function kind(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string"
    ? value === ""
      ? "empty text"
      : "this text"
    : `the ${typeof value} ${String(value)}`;
}

function name(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  if (typeof last === "string") return `"${last}"`;
  return `entry ${last + 1} of ${name(path.slice(0, -1))}`;
}
