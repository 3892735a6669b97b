import { chooseFrom } from "@hookline/ground";
import { readJson } from "@hookline/runtime/dialect";
import { type Odd, orphansOf, type Read, type ReadResult } from "@hookline/runtime/engine";
import type { HookResult } from "./answer.ts";
import { fieldsOf, RESULT_FIELDS } from "./fields.ts";

/**
 * Marks an answer that a program or a model printed. For such answers, `remarked` reports the fields that have no
 * effect, since their authors had no types to check them.
 */
export class Printed {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Reads an answer to an event. For a printed answer, makes its `system_message` a notice for the user, and reports the
 * fields that have no effect on this event.
 */
export function remarked(event: string, read: Read<HookResult>): Read<HookResult> {
  return named((raw) => {
    if (!(raw instanceof Printed)) return read(raw);
    const found = read(raw.value);
    if (!found.ok) return found;
    const notice = found.answer?.system_message;
    const odd = oddOf(raw.value, found.answer, event);
    return {
      ...found,
      ...(notice !== undefined && notice.trim() !== "" && { notice }),
      ...(odd.length > 0 && { odd }),
    };
  }, read.name);
}

/** Reads a hook's output at an event that only informs. Accepts any output, but reports an answer as ignored. */
export function readTold(event: string): Read<HookResult> {
  return named((raw) => {
    const said = raw instanceof Printed ? readJson(String(raw.value)) : undefined;
    const isAnswer =
      said?.ok === true && typeof said.value === "object" && said.value !== null && Object.keys(said.value).length > 0;
    const problem = `${event} reads no answers, so what its hooks answer is ignored`;
    return { ok: true, answer: undefined, ...(isAnswer && { odd: [{ field: "an answer", problem }] }) };
  }, "strict");
}

/** Returns the parts of an answer that have no effect, although its author probably expected one. */
function oddOf(raw: unknown, answer: HookResult | undefined, event: string): Odd[] {
  const fields = fieldsOf(event);
  const writes: readonly string[] = fields?.writes ?? [];
  const odd: Odd[] = [];
  for (const [key, value] of Object.entries((raw ?? {}) as object)) {
    if (key === "abort" || value === null) continue;
    if (!(RESULT_FIELDS as readonly string[]).includes(key))
      odd.push({ field: shortKey(key), problem: `an answer has no such field. ${chooseFrom(key, RESULT_FIELDS)}` });
    else if (!writes.includes(key)) odd.push({ field: key, problem: `${event} does not read it` });
  }
  if (answer?.retry_feedback !== undefined && answer.action === undefined && !fields?.feedbackAlone)
    odd.push({ field: "retry_feedback", problem: 'it has an effect only with "action": "stop"' });
  if (answer?.action === "skip" && !fields?.skips)
    odd.push({ field: "action", problem: '"skip" leaves out a tool call; here it only discards what was edited' });
  const orphans = answer?.messages === undefined ? [] : orphansOf(answer.messages);
  if (orphans.length > 0)
    odd.push({
      field: "messages",
      problem: `${orphans.length} tool results have no call before them and are left out`,
    });
  return odd;
}

/** Returns a key for a report, but only if it looks like a name: a hook's own text must not be repeated. */
function shortKey(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : "a field";
}

/** Sets the `name` of a `read` function, which says how it reads, such as `strict`. */
function named(read: (raw: unknown) => ReadResult<HookResult>, name: Read<HookResult>["name"]): Read<HookResult> {
  return Object.defineProperty(read, "name", { value: name }) as Read<HookResult>;
}
