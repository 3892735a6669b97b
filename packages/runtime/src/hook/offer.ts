import type { Fits } from "./hook.ts";

/** A tool that a call can name: hookline's name of it, and those by which others know it. */
export interface ToolHere {
  readonly tool: string;
  readonly aliases?: readonly string[];
}

/** The tools that calls can name at a place. */
export interface Offer {
  readonly tools: readonly ToolHere[];
  /** The configured MCP servers. */
  readonly servers: readonly string[];
  /** Whether a tool that nobody has listed could fit, such as one of a server that has not been started yet. */
  mayHave(one: Alternative): boolean;
}

/** A problem of a name or pattern, and its remedy. */
export interface Finding {
  /** The name or pattern as it is written. */
  readonly about: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Whether some call can reach a hook, and the alternatives of its matcher that no call can reach. */
export interface Reach {
  /** `unknown`: only tools that nobody has listed could. */
  readonly state: "some" | "none" | "unknown";
  readonly findings: readonly Finding[];
}

/** One of the names or patterns of which a hook waits for any. */
export interface Alternative {
  /** As it is written. */
  readonly text: string;
  readonly fits: Fits;
  readonly isPattern: boolean;
  /** Says what is wrong if no tool of an offer fits it. */
  dead(offer: Offer): Finding;
}

/** Whether a call of a tool that is offered could fit. */
export function isOffered(fits: Fits, { tools }: Offer): boolean {
  return tools.some(({ tool, aliases = [] }) => fits(tool, aliases));
}

/** Judges the alternatives of a matcher: it is reached if one of them is. */
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

/** Whether a name with this beginning could fit, as far as the text of a pattern shows. */
export function mayBegin({ text, isPattern, fits }: Alternative, start: string): boolean {
  if (!isPattern) return text.startsWith(start);
  if (fits(start, [])) return true;
  const at = text.indexOf("mcp__");
  if (at < 0 && !text.startsWith("^")) return true;
  const rest = at < 0 ? text.slice(1) : text.slice(at);
  const [literal = ""] = /^[\w-]*/.exec(rest) ?? [];
  // A sign behind it can make the last character optional.
  const sure = /^[*?{]/.test(rest.slice(literal.length)) ? literal.slice(0, -1) : literal;
  return start.startsWith(sure) || sure.startsWith(start);
}
