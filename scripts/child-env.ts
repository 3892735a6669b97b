/**
 * Variables for a program that a test or an experiment starts in an otherwise empty environment: the PATH, and the
 * folder of Node's compile cache. A fresh home folder has no compiled code, so the agent's start would take a third
 * longer, and from the sources more than twice as long.
 */
export const CHILD_ENV: Readonly<Record<"PATH" | "NODE_COMPILE_CACHE", string>> = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
};
