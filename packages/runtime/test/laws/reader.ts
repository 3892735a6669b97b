import type { Read } from "../../src/catalog/row.ts";

/** Takes every object as an answer, and nothing else. */
export const reader: Read<any> = Object.defineProperty(
  (raw: unknown) =>
    raw === undefined || (typeof raw === "object" && raw !== null)
      ? { ok: true as const, answer: raw as never }
      : { ok: false as const, problem: "it is no object" },
  "name",
  { value: "strict" },
) as unknown as Read<any>;
