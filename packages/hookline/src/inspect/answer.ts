import type { ApprovalsPlace, Comparison, Hooks, Moments, Sources, Summary, Timeline } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { type Compared, compareFiles, differencesIn, HOW } from "./compare.ts";
import { conversationAt } from "./conversation.ts";
import { fullValue, momentAnswer } from "./moment-answer.ts";
import { DECISIONS, MARKS, type MomentIndex } from "./moment-index.ts";
import { filterIn, numberIn, windowIn } from "./query.ts";
import type { Breathe, Reading } from "./reading.ts";
import type { Opened, SourceList } from "./sources.ts";
import { timelineOf } from "./timeline.ts";
import { viewsOf } from "./views.ts";

const COLUMNS = 200;
const MOST_COLUMNS = 2000;
/** How many comparisons are kept. */
const COMPARISONS = 4;

/** Answers the page, from a server's sources or from those of an export. */
export class Answers {
  readonly #list: SourceList;
  readonly #hookline: string;
  readonly #breathe: Breathe;
  readonly #approvals: ApprovalsPlace | undefined;
  readonly #compared = new Map<string, Promise<Compared>>();

  constructor(
    list: SourceList,
    parts: {
      readonly hookline: string;
      readonly breathe: Breathe;
      readonly approvals?: ApprovalsPlace | undefined;
    },
  ) {
    this.#list = list;
    this.#hookline = parts.hookline;
    this.#breathe = parts.breathe;
    this.#approvals = parts.approvals;
  }

  /** Answers paths below `/api/`. Throws a `BadRequest` for what cannot be answered. */
  async answer(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<unknown> {
    const words = path.split("/").map((word) => decoded(word));
    const [first, id, view, at, ...more] = words;
    if (first !== "sources" || more.length > 0) throw notFound(path);
    if (id === undefined) return this.#sources();
    const opened = await this.source(id);
    if (view === "compare" && at === undefined) return this.#compare(id, opened, query);
    const { reading } = opened;
    if (view === "summary" && at === undefined) return summaryOf(opened);
    if (reading === undefined) throw new BadRequest("A replay's result has only its comparison.", 404, "not-found");
    await reading.ready();
    const { index } = reading;
    if (view === "moments" && at === undefined) return this.#moments(reading, query, signal);
    if (view === "timeline" && at === undefined) return this.#timeline(reading, query, signal);
    if (view === "hooks" && at === undefined) return hooksOf(reading);
    if (view === "moments" && at !== undefined) {
      const full = query.get("full");
      return full === null
        ? momentAnswer(index, momentNumber(at), opened.source())
        : fullValue(index, momentNumber(at), full, Math.floor(numberIn(query, "from") ?? 0));
    }
    if (view === "conversation" && at !== undefined) return conversationAt(index, momentNumber(at), this.#breathe);
    throw notFound(path);
  }

  /** A source by its id. Throws if there is none. */
  async source(id: string): Promise<Opened> {
    const opened = await this.#list.find(id);
    if (opened === undefined)
      throw new BadRequest("There is no source with this id. Go back to the list and choose one.", 404, "not-found");
    return opened;
  }

  async #sources(): Promise<Sources> {
    const { open, fleet, isExport } = this.#list;
    return {
      v: 1,
      hookline: this.#hookline,
      ...(open !== undefined && { open }),
      sources: await this.#list.list(),
      ...(fleet !== undefined && { fleet }),
      ...(this.#approvals !== undefined && { approvals: this.#approvals }),
      ...(isExport === true && { exported: true }),
    };
  }

  async #moments(reading: Reading, query: URLSearchParams, signal?: AbortSignal): Promise<Moments> {
    const { index } = reading;
    const matches = await reading.matches(filterIn(query), signal);
    const { from, moments } = matches.window(windowIn(query));
    return {
      v: 1,
      total: matches.count,
      from,
      partial: !reading.isAll,
      items: moments.map((n) => index.item(n)),
    };
  }

  async #timeline(reading: Reading, query: URLSearchParams, signal?: AbortSignal): Promise<Timeline> {
    const { index } = reading;
    const columns = Math.floor(numberIn(query, "columns") ?? COLUMNS);
    if (columns < 1 || columns > MOST_COLUMNS) throw new BadRequest(`columns must be from 1 to ${MOST_COLUMNS}.`);
    const filter = filterIn(query);
    const { since = index.span.from, until = index.span.to } = filter;
    const { all: moments } = await reading.matches(filter, signal);
    return { v: 1, ...timelineOf(index, { moments, since, until, columns }), partial: !reading.isAll };
  }

  async #compare(id: string, opened: Opened, query: URLSearchParams): Promise<Comparison> {
    const { from = 0, count } = windowIn(query);
    if (opened.replay !== undefined) {
      opened.replay.update();
      const { moments } = opened.replay;
      return {
        v: 1,
        left: { title: "before", moments },
        right: { title: "with the tried hooks", moments },
        how: "What was recorded, or today's hooks without the change, is on the left; the tried hooks are on the right.",
        ...opened.replay.window(from, count),
      };
    }
    const { title } = opened.source();
    const withId = query.get("with");
    if (withId === null) throw new BadRequest("with is missing: name the source to compare with.");
    const other = await this.source(withId);
    if (other.reading === undefined || opened.reading === undefined)
      throw new BadRequest("A replay's result is already a comparison; open it by itself.");
    await Promise.all([opened.reading.update(), other.reading.update()]);
    const [left, right] = [opened.reading.index, other.reading.index];
    const key = `${id} ${left.count} ${withId} ${right.count}`;
    const compared = await this.#kept(key, () => compareFiles(left, right, this.#breathe));
    return {
      v: 1,
      left: { title, moments: left.count },
      right: { title: other.source().title, moments: right.count },
      how: HOW,
      ...differencesIn(compared, { left, right }, { from, count }),
    };
  }

  #kept(key: string, compare: () => Promise<Compared>): Promise<Compared> {
    const known = this.#compared.get(key) ?? compare();
    this.#compared.delete(key);
    this.#compared.set(key, known);
    for (const oldest of this.#compared.keys()) {
      if (this.#compared.size <= COMPARISONS) break;
      this.#compared.delete(oldest);
    }
    return known;
  }
}

async function summaryOf(opened: Opened): Promise<Summary> {
  await opened.reading?.ready();
  const source = opened.source();
  const index = opened.reading?.index;
  opened.replay?.update();
  const { damaged, first } = index?.damage ?? { damaged: 0, first: [] };
  const goneOn = opened.goneOn?.();
  return {
    v: 1,
    source,
    moments: index?.count ?? opened.replay?.moments ?? 0,
    from: index?.span.from ?? 0,
    to: index?.span.to ?? 0,
    live: source.live,
    ...(goneOn !== undefined && { goneOn }),
    indexed: opened.reading?.isAll === false ? Math.min(index?.file.at ?? 0, source.bytes - 1) : source.bytes,
    bytes: source.bytes,
    whole: index?.file.isWhole ?? true,
    torn: index?.file.torn ?? false,
    damaged,
    damage: first,
    views: viewsOf(source),
    ...(index === undefined
      ? { events: {}, tools: {}, hooks: {}, decisions: {}, marks: {} }
      : {
          events: counted(index, "event", (number) => index.events.name(number)),
          tools: counted(index, "tool", (number) => index.tools.name(number)),
          hooks: byCount(index.hookNumbers.asked),
          decisions: counted(index, "decision", (number) => DECISIONS[number]),
          marks: marksOf(index),
        }),
  };
}

function hooksOf({ index, isAll }: Reading): Hooks {
  const { from, to } = index.span;
  return { v: 1, partial: !isAll, hooks: index.hookNumbers.rows(to - from) };
}

function counted(
  { rows, count }: MomentIndex,
  column: Parameters<MomentIndex["rows"]["get"]>[0],
  nameOf: (number: number) => string | undefined,
): Record<string, number> {
  const numbers = new Map<number, number>();
  for (let at = 0; at < count; at++) {
    const number = rows.get(column, at);
    numbers.set(number, (numbers.get(number) ?? 0) + 1);
  }
  const named = [...numbers].flatMap(([number, times]) => {
    const name = nameOf(number);
    return name === undefined ? [] : [[name, times] as const];
  });
  return byCount(named);
}

function marksOf({ rows, count }: MomentIndex): Record<string, number> {
  const counts = MARKS.map(() => 0);
  for (let at = 0; at < count; at++) {
    const bits = rows.get("marks", at);
    for (let bit = 0; bit < counts.length; bit++) if ((bits & (1 << bit)) !== 0) (counts[bit] as number) += 1;
  }
  return byCount(MARKS.map((mark, bit) => [mark, counts[bit] as number] as const).filter(([, times]) => times > 0));
}

function byCount(counts: Iterable<readonly [string, number]>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

function momentNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new BadRequest(`"${text.slice(0, 20)}" is not the number of a moment.`);
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw notFound(word);
  }
}

function notFound(path: string): BadRequest {
  return new BadRequest(`There is nothing at /api/${path.slice(0, 100)}.`, 404, "not-found");
}
