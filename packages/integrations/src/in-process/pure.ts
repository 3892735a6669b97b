import { fromInstallation } from "@hookline/ground";
import type { Exports, ModuleUse } from "./provide.ts";

/** Returns the exports of pi's package for models (`pi-ai`) that work without a host. */
export async function aiExports({ mentions }: ModuleUse): Promise<Exports> {
  // If typebox is not installed, `Type` is reported as missing instead of failing the load: the word may only occur in
  // a comment.
  const typebox = mentions("Type") ? await importTypebox().catch(() => undefined) : undefined;
  return { StringEnum, calculateCost, ...(typebox !== undefined && { Type: typebox["Type"] }) };
}

interface Parsed {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The functions `parseFrontmatter` and `stripFrontmatter`. */
export interface Frontmatter {
  parseFrontmatter(content: string): Parsed;
  stripFrontmatter(content: string): string;
}

/**
 * Makes `parseFrontmatter` and `stripFrontmatter`, and loads the YAML parser that they need. For invalid front matter
 * they throw the parser's error.
 */
export async function createFrontmatter(): Promise<Frontmatter> {
  const { parse } = await fromInstallation("yaml", () => import("yaml"));
  const parseFrontmatter = (content: string): Parsed => {
    const text = content.replace(/\r\n?/g, "\n");
    const end = text.startsWith("---") ? text.indexOf("\n---", 3) : -1;
    if (end < 0) return { frontmatter: {}, body: text };
    const header: unknown = parse(text.slice(4, end));
    const frontmatter = typeof header === "object" && header !== null ? (header as Parsed["frontmatter"]) : {};
    return { frontmatter, body: text.slice(end + 4).trim() };
  };
  return { parseFrontmatter, stripFrontmatter: (content) => parseFrontmatter(content).body };
}

/** The part of a tool's event that the type guards `isOf` and `isToolCallEventType` read. */
export interface ToolEvent {
  readonly toolName: string;
}

/** Whether a `tool_call` event is about this tool. In TypeScript it narrows the type of the input. */
export function isToolCallEventType(toolName: string, event: ToolEvent): boolean {
  return event.toolName === toolName;
}

/** Returns a type guard for events about one tool. */
export function isOf(toolName: string): (event: ToolEvent) => boolean {
  return (event) => event.toolName === toolName;
}

/** Returns a tool's definition unchanged; it only helps type inference. */
export function defineTool<T>(definition: T): T {
  return definition;
}

const named =
  "escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12";

const signs: Readonly<Record<string, string>> = {
  backtick: "`",
  hyphen: "-",
  equals: "=",
  leftbracket: "[",
  rightbracket: "]",
  backslash: "\\",
  semicolon: ";",
  quote: "'",
  comma: ",",
  period: ".",
  slash: "/",
  exclamation: "!",
  at: "@",
  hash: "#",
  dollar: "$",
  percent: "%",
  caret: "^",
  ampersand: "&",
  asterisk: "*",
  leftparen: "(",
  rightparen: ")",
  underscore: "_",
  plus: "+",
  pipe: "|",
  tilde: "~",
  leftbrace: "{",
  rightbrace: "}",
  colon: ":",
  lessthan: "<",
  greaterthan: ">",
  question: "?",
};

/** The members of `Key` that put modifiers before a key. A member's name gives the order of its modifiers. */
const modified =
  "ctrl shift alt super ctrlShift shiftCtrl ctrlAlt altCtrl shiftAlt altShift ctrlSuper superCtrl shiftSuper superShift altSuper superAlt ctrlShiftAlt ctrlShiftSuper";

/** The key names of pi-tui, such as `Key.escape` and `Key.ctrlAlt("p")`. Works without a terminal. */
export const Key: Readonly<Record<string, unknown>> = Object.freeze({
  ...Object.fromEntries(named.split(" ").map((name) => [name, name])),
  ...signs,
  ...Object.fromEntries(modified.split(" ").map((name) => [name, (key: string) => `${prefixOf(name)}+${key}`])),
});

function prefixOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
}

/** Returns the JSON schema of a string that must be in a list, with an optional description or default. */
export function StringEnum(values: readonly string[], options: object = {}): object {
  return { type: "string", enum: [...values], ...options };
}

const packages: Readonly<Record<string, () => Promise<object>>> = {
  typebox: () => import("typebox"),
  "typebox/value": () => import("typebox/value"),
  "typebox/compile": () => import("typebox/compile"),
};

/** Imports one of typebox's modules; throws if the package is missing. */
export async function importTypebox(specifier = "typebox"): Promise<Readonly<Record<string, unknown>>> {
  return (await fromInstallation("typebox", async () => packages[specifier]?.())) as Readonly<Record<string, unknown>>;
}

interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Counted extends Rates {
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** Computes a reply's cost, writes it into `usage` and returns it. Rates are per million tokens. */
export function calculateCost(model: { readonly cost: Rates }, usage: Counted): Counted["cost"] {
  const of = (kind: keyof Rates): number => (model.cost[kind] / 1_000_000) * usage[kind];
  const [input, output, cacheRead, cacheWrite] = [of("input"), of("output"), of("cacheRead"), of("cacheWrite")];
  Object.assign(usage.cost, { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite });
  return usage.cost;
}
