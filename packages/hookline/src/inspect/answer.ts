import type { Comparison, Hooks, Moments, Sources, Story, Summary, Timeline } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { conversationAt } from "./conversation.ts";
import { fullValue, momentAnswer } from "./moment-answer.ts";
import { DECISIONS, type MomentIndex } from "./moment-index.ts";
import { filterIn, isEmpty, numberIn, windowIn } from "./query.ts";
import type { Breathe, Reading } from "./reading.ts";
import type { Opened, SourceList } from "./sources.ts";
import { storyOf } from "./story.ts";
import { timelineOf } from "./timeline.ts";
import { viewsOf } from "./views.ts";

const COLUMNS = 200;
const MOST_COLUMNS = 2000;
/** The maximum number of story steps in one answer: fewer than of moments, because steps are larger. */
const MOST_STEPS = 50;

/** Answers the requests of the page, from a server's sources or from an export. */
export class Answers {
  readonly #list: SourceList;
  readonly #hookline: string;
  readonly #breathe: Breathe;

  constructor(
    list: SourceList,
    parts: {
      readonly hookline: string;
      readonly breathe: Breathe;
    },
  ) {
    this.#list = list;
    this.#hookline = parts.hookline;
    this.#breathe = parts.breathe;
  }

  /** Answers paths below `/api/`. Throws a `BadRequest` for requests that cannot be answered. */
  async answer(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<unknown> {
    const words = path.split("/").map((word) => decoded(word));
    const [first, id, view, at, ...more] = words;
    if (first !== "sources" || more.length > 0) throw notFound(path);
    if (id === undefined) return this.#sources();
    const opened = await this.source(id);
    if (view === "replay" && at === undefined) return replayOf(opened, query);
    const { reading } = opened;
    if (view === "summary" && at === undefined) return summaryOf(opened);
    if (reading === undefined) throw new BadRequest("The result of a replay has only a comparison.", 404, "not-found");
    await reading.ready();
    const { index } = reading;
    if (view === "story" && at === undefined) return this.#story(reading, query, signal);
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

  /** Returns a source by its id. Throws if there is none. */
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
      items: moments.map((n) => index.row(n)),
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

  async #story(reading: Reading, query: URLSearchParams, signal?: AbortSignal): Promise<Story> {
    const { steps } = reading.index;
    const filter = filterIn(query);
    const all = isEmpty(filter) ? steps.shown() : steps.of((await reading.matches(filter, signal)).all);
    const { from = 0, around, count: most } = windowIn(query);
    const count = Math.min(most, MOST_STEPS);
    const place = around === undefined ? from : all.findIndex((step) => steps.rows.get("last", step - 1) >= around);
    const first = around === undefined ? from : Math.max(0, place - Math.floor(count / 2));
    const items = storyOf(reading.index, all.slice(first, first + count));
    return { v: 1, total: all.length, from: first, partial: !reading.isAll, items };
  }
}

function replayOf({ replay }: Opened, query: URLSearchParams): Comparison {
  if (replay === undefined) throw new BadRequest("Only the result of a replay has a comparison.", 404, "not-found");
  const { from = 0, count } = windowIn(query);
  replay.update();
  return { v: 1, ...replay.window(from, count) };
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
      ? { events: {}, tools: {}, hooks: {}, decisions: {}, did: { hooks: 0, marks: {} }, names: {}, places: {} }
      : {
          events: counted(index, "event", (number) => index.events.name(number)),
          tools: counted(index, "tool", (number) => index.tools.name(number)),
          hooks: byCount(index.hookNumbers.asked),
          decisions: counted(index, "decision", (number) => DECISIONS[number]),
          did: index.did,
          names: index.hookNumbers.names,
          places: index.hookNumbers.places,
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
