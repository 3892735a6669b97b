import type { Fits } from "./hook.ts";

/** A tool that a call can name: hookline's name of it, and the names that others use. */
export interface ToolHere {
  readonly tool: string;
  readonly aliases?: readonly string[];
}

/** The tools that a call can name in hookline's agent or in another one. */
export interface Offer {
  readonly tools: readonly ToolHere[];
  /** The names of the configured MCP servers. */
  readonly servers: readonly string[];
  /**
   * Returns whether `one` could match a tool that is not listed yet, such as one of a server that has not been started.
   */
  mayHave(one: Alternative): boolean;
}

/** A problem with a name or pattern in a matcher, and the remedy. */
export interface Finding {
  /** The faulty name or pattern, as it is written in the matcher. */
  readonly about: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Whether some call can reach a hook, and the alternatives of its matcher that no call can reach. */
export interface Reach {
  /**
   * `some` if a call can reach the hook, `none` if no call can, `unknown` if only a call of a tool that is not listed
   * yet could.
   */
  readonly state: "some" | "none" | "unknown";
  readonly findings: readonly Finding[];
}

/** One of the names or patterns in a hook's matcher; it is enough if one of them matches. */
export interface Alternative {
  /** The name or pattern, as it is written in the matcher. */
  readonly text: string;
  readonly fits: Fits;
  readonly isPattern: boolean;
  /** Describes why none of the offered tools matches, with a remedy. */
  dead(offer: Offer): Finding;
}

/** Returns whether a matcher matches one of the offered tools. */
export function isOffered(fits: Fits, { tools }: Offer): boolean {
  return tools.some(({ tool, aliases = [] }) => fits(tool, aliases));
}

/** Checks the alternatives of a matcher. A call can reach the hook if one of them may match an offered tool. */
export function reachOf(alternatives: readonly Alternative[], offer: Offer): Reach {
  const dead: Alternative[] = [];
  let state: Reach["state"] = "none";
  for (const one of alternatives) {
    if (isOffered(one.fits, offer)) state = "some";
    else if (!offer.mayHave(one)) dead.push(one);
    else if (state === "none") state = "unknown";
  }
  return { state, findings: dead.map((one) => one.dead(offer)) };
}

/** Returns whether an alternative may match a tool's name with this beginning; true if in doubt. */
export function mayBegin({ text, isPattern, fits }: Alternative, start: string): boolean {
  if (!isPattern) return text.startsWith(start);
  if (fits(start, [])) return true;
  const at = text.indexOf("mcp__");
  if (at < 0 && !text.startsWith("^")) return true;
  const rest = at < 0 ? text.slice(1) : text.slice(at);
  const [literal = ""] = /^[\w-]*/.exec(rest) ?? [];
  // A quantifier after the literal text can make its last character optional.
  const sure = /^[*?{]/.test(rest.slice(literal.length)) ? literal.slice(0, -1) : literal;
  return start.startsWith(sure) || sure.startsWith(start);
}
