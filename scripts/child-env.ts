/**
 * Variables of a program that a test or an experiment starts in an otherwise empty environment: where programs are, and
 * where Node keeps what it has compiled. A home that is new in each test has nothing compiled, so the start of the agent
 * takes a third longer there, and from the sources more than twice as long.
 */
export const CHILD_ENV: Readonly<Record<"PATH" | "NODE_COMPILE_CACHE", string>> = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
};
