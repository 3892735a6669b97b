import { isAbsolute } from "node:path";

/** Returns the working folder of a call: the context's if it has one, otherwise the tool's own. */
export function cwdOf(context: unknown, cwd: string): string {
  const given = field(context, "cwd");
  return typeof given === "string" && isAbsolute(given) ? given : cwd;
}

/** Whether the context names a model that is known to accept no images. */
export function modelRefusesImages(context: unknown): boolean {
  const input = field(field(context, "model"), "input");
  return Array.isArray(input) && !input.includes("image");
}

/**
 * Returns the variables that tell a command about its session. Unknown values are left out. Source: spec/pi.md 2.1, the
 * bash tool of 0.87.1.
 */
export function sessionVariables(context: unknown): Record<string, string> {
  const session = field(context, "sessionManager");
  const model = field(context, "model");
  const variables = {
    PI_SESSION_ID: call(session, "getSessionId"),
    PI_SESSION_FILE: call(session, "getSessionFile"),
    PI_PROVIDER: field(model, "provider"),
    PI_MODEL: field(model, "id"),
    PI_REASONING_LEVEL: field(context, "thinkingLevel"),
  };
  return Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function call(value: unknown, method: string): unknown {
  const member = field(value, method);
  return typeof member === "function" ? member.call(value) : undefined;
}
