import type { LaneRow } from "@hookline/runtime/engine";

type Read = LaneRow["read"];
type Result = ReturnType<Read>;

/** Wrong ways to read a raw answer, each with a description. */
export function wrongReads({ read }: LaneRow): [string, Read][] {
  const named = (wrong: (raw: unknown) => Result): Read =>
    Object.defineProperty(wrong, "name", { value: read.name }) as Read;
  return [
    ["takes anything", named((raw) => ({ ok: true, answer: raw as undefined }))],
    ["takes nothing", named(() => ({ ok: true, answer: undefined }))],
    [
      "all or nothing",
      named((raw) => {
        const result = read(raw);
        return result.ok && result.odd !== undefined ? { ok: false, problem: `${result.odd[0]} is odd` } : result;
      }),
    ],
    [
      "forgives what cannot be read",
      named((raw) => {
        const result = read(raw);
        return result.ok ? result : { ok: true, answer: undefined };
      }),
    ],
    [
      "says nothing of odd fields",
      named((raw) => {
        const result = read(raw);
        return result.ok ? { ok: true, answer: result.answer } : result;
      }),
    ],
    [
      "keeps odd fields",
      named((raw) => {
        const result = read(raw);
        if (!result.ok || result.odd === undefined || typeof raw !== "object") return result;
        return { ...result, answer: { ...raw, ...(result.answer as object | undefined) } as never };
      }),
    ],
  ];
}
