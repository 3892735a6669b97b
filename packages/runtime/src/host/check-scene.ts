import { HooklineError } from "../error/error.ts";

/** Throws if an untyped program opens a session without the required fields. */
export function checkScene(options: unknown): void {
  const { scene } = (options ?? {}) as { readonly scene?: unknown };
  if (typeof scene !== "object" || scene === null) throw missing("scene", "an object", scene);
  for (const field of ["sessionId", "cwd"] as const) {
    const value = (scene as Readonly<Record<string, unknown>>)[field];
    if (typeof value !== "string") throw missing(`scene.${field}`, "a text", value);
  }
}

function missing(option: string, wanted: string, given: unknown): HooklineError {
  return new HooklineError("INVALID_OPTION", {
    option: `open: ${option}`,
    problem: given === undefined ? "is missing" : `is not ${wanted}`,
    remedy: 'Pass the session\'s id and its folder: open({ scene: { sessionId: "1", cwd: process.cwd() } }).',
  });
}
