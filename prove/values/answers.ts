import { readJson } from "../../packages/runtime/src/lens/json.ts";
import type { Seat } from "./sitting.ts";
import { TEXTS, VALUES } from "./table.ts";

/** One answer of a hook. */
export interface Answer {
  readonly name: string;
  /** The awkward field; absent if the whole answer is awkward. */
  readonly field: string | undefined;
  make(): unknown;
}

/**
 * The number of shapes: the value alone, beside a valid answer, in a list, and in a record. Each pair of field and
 * value gets one of them.
 */
const SHAPES = 4;

/** Yields the whole answer and each of its fields with every awkward value. */
export function* answersOf(seat: Seat): Generator<Answer> {
  if (seat.lane.isolate) yield* inProcess(seat);
  else yield* printed(seat);
}

function* inProcess({ names, base }: Seat): Generator<Answer> {
  for (const [i, { name, make }] of VALUES.entries()) {
    yield { name, field: undefined, make };
    for (const [j, field] of names.entries()) {
      const shapes: readonly Answer[] = [
        { name, field, make: () => ({ [field]: make() }) },
        { name: `${name}, beside others`, field, make: () => ({ ...base, [field]: make() }) },
        { name: `${name}, in a list`, field, make: () => ({ ...base, [field]: [make()] }) },
        { name: `${name}, in a record`, field, make: () => ({ ...base, [field]: { type: "text", text: make() } }) },
      ];
      yield shapes[(i + j) % SHAPES] as Answer;
    }
  }
}

/**
 * Yields answers from a program's output, which is read as its transport does; unreadable output fails the hook there.
 */
function* printed({ names, base }: Seat): Generator<Answer> {
  for (const [i, [name, text]] of TEXTS.entries()) {
    yield { name, field: undefined, make: () => said(text) };
    for (const [j, field] of names.entries()) {
      const member = `${JSON.stringify(field)}:`;
      const others = Object.entries(base).filter(([key]) => key !== field);
      const before = others.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`).join("");
      const shapes: readonly Answer[] = [
        { name, field, make: () => said(`{${member}${text}}`) },
        { name: `${name}, beside others`, field, make: () => said(`{${before}${member}${text}}`) },
        { name: `${name}, in a list`, field, make: () => said(`{${before}${member}[${text}]}`) },
        { name: `${name}, in a record`, field, make: () => said(`{${before}${member}{"text":${text}}}`) },
      ];
      yield shapes[(i + j) % SHAPES] as Answer;
    }
  }
}

function said(text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw new Unread(read.problem);
  if (typeof read.value !== "object" || read.value === null || Array.isArray(read.value))
    throw new Unread("it is not a JSON object");
  return read.value;
}

/** Thrown by a transport for output that is not an answer: nothing of it is read, so there is no field. */
export class Unread extends Error {
  readonly reason = "bad";
  readonly code = undefined;

  constructor(problem: string) {
    super(problem);
    Object.defineProperty(this, Symbol.for("hookline.failure"), { value: true });
  }
}
