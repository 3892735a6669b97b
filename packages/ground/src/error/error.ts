import { CODES, type Code } from "./codes.ts";
import { fill, fillMessage, type Source } from "./diagnostic.ts";

const brand = Symbol.for("hookline.error");

/**
 * The only error that hookline throws, for a caller's mistake. Test with `HooklineError.isInstance`, which works even
 * if the package is loaded twice.
 */
export class HooklineError extends Error {
  readonly code: Code;
  readonly hint: string;
  readonly source: Source | undefined;

  constructor(
    code: Code,
    details: Readonly<Record<string, string | number>> = {},
    about: { source?: Source; cause?: unknown } = {},
  ) {
    super(fillMessage(CODES[code].message, details), about.cause === undefined ? undefined : { cause: about.cause });
    this.name = "HooklineError";
    this.code = code;
    this.hint = fill(CODES[code].hint, details);
    this.source = about.source;
    Object.defineProperty(this, brand, { value: true });
  }

  static isInstance(value: unknown): value is HooklineError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Returns the message of anything that was thrown, or its string form. Never throws, not even for hostile getters. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error || (typeof thrown === "object" && thrown !== null && "message" in thrown)
      ? String((thrown as { message: unknown }).message)
      : String(thrown);
  } catch {
    return "it threw a value that cannot be shown";
  }
}
