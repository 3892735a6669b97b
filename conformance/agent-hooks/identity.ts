import { createHash } from "node:crypto";

/** A value that has no identity: NaN, an infinity, a lone surrogate, an integer beyond 2^53 − 1, or no JSON at all. */
export class OutsideDomain extends Error {}

/** JSON by RFC 8785. Throws `OutsideDomain` for a value outside I-JSON, which is never repaired. */
export function canonical(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || (Number.isInteger(value) && isBeyondExact(value))) throw new OutsideDomain();
    return JSON.stringify(value);
  }
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new OutsideDomain();
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object") throw new OutsideDomain();
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${canonical(name)}:${canonical(member)}`)
    .join(",")}}`;
}

/** Integers from 2^53 on count as floats where their text has an exponent, which is lost when JSON is read. */
function isBeyondExact(value: number): boolean {
  return !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
}

/** The members of each point that its identity covers, besides those of every point. */
const COVERED: Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>>>> = {
  agent_startup: { agent_init: ["tools_registered"] },
  input: { input: ["content", "role"] },
  pre_model_call: { model: ["id"], messages: undefined },
  post_model_call: { model: ["id"], response: ["content", "tool_calls", "finish_reason"] },
  pre_tool_call: { tool_call: ["id", "name", "args"] },
  post_tool_call: { tool_call: ["id", "name", "args"], tool_result: ["value", "is_error"] },
  output: { output: ["content"] },
  agent_shutdown: { summary: ["reason"] },
};

type Fields = Readonly<Record<string, unknown>>;

/** The part of a context that its identity is made of. */
function projection(context: Fields): Fields {
  const covered = COVERED[String(context["interception_point"])];
  if (covered === undefined) throw new OutsideDomain();
  const picked = (name: string, members: readonly string[] | undefined): unknown =>
    members === undefined ? context[name] : pick(context[name] as Fields | undefined, members);
  return {
    ...pick(context, ["spec", "interception_point", "timestamp", "sequence", "target"]),
    agent: picked("agent", ["id", "framework"]),
    session: picked("session", ["id"]),
    ...Object.fromEntries(Object.entries(covered).map(([name, members]) => [name, picked(name, members)])),
  };
}

/** The identity of a context by the provider `jcs-sha256`. */
export function identityOf(context: Fields): string {
  return `sha256:${createHash("sha256")
    .update(canonical(projection(context)))
    .digest("hex")}`;
}

function pick(of: Fields | undefined, names: readonly string[]): Fields {
  if (typeof of !== "object") throw new OutsideDomain();
  return Object.fromEntries(names.flatMap((name) => (name in of ? [[name, of[name]]] : [])));
}
