import type { Fields } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { MomentLine, ShadowAnswer } from "./line.ts";
import { withoutFields, withoutWords } from "./redacted.ts";
import type { FileSink } from "./sink.ts";
import { type NewHeader, type NewMoment, RecordingWriter } from "./write.ts";

/** How many moments may wait. */
const MAX_WAITING = 64;
/** How many calls are remembered that a guard wants a person to decide about. */
const MAX_ASKED = 256;

/** The fields of a moment that may still be redacted, and by which events; without events they are left out at once. */
export interface Held {
  readonly fields: readonly string[];
  readonly until: ReadonlySet<string> | undefined;
}

/** A moment on its way into the recording. */
export interface Arriving {
  readonly row: CatalogRow;
  readonly moment: NewMoment;
  readonly held: Held;
  /** As the host had it. */
  readonly payload: Fields;
  /** Stands for the moment where hooks in shadow are asked about it. */
  readonly key: object | undefined;
  /** Has everything that waits written, without what may still be redacted. */
  readonly settles: boolean;
}

/** A moment that waits for its own text, or for one before it. */
interface Waiting {
  moment: NewMoment;
  readonly fields: readonly string[];
  readonly until: Set<string>;
  readonly toolCallId: string | undefined;
  /** A guard wants a person to decide. */
  readonly asks: boolean;
  readonly key: object | undefined;
  /** Answers of hooks in shadow so far. */
  readonly inShadow: ShadowAnswer[];
}

/** A moment that is in the file. */
interface Written {
  readonly n: number;
  readonly isRedacted: boolean;
}

/** The lines of one sink, in the order of the moments. */
export class Stream {
  readonly #sink: FileSink;
  readonly #header: () => NewHeader;
  readonly #clean: (text: string) => string;
  readonly #waiting: Waiting[] = [];
  /** The numbers of moments by the call that a guard asks about. */
  readonly #asked = new Map<string, number>();
  /** Moments about which hooks in shadow are still asked. */
  #written = new WeakMap<object, Written>();
  #writer: RecordingWriter | undefined;
  #session: string | undefined;
  #turn: number | undefined;
  #hasFailed = false;

  constructor(sink: FileSink, header: () => NewHeader, clean: (text: string) => string) {
    this.#sink = sink;
    this.#header = header;
    this.#clean = clean;
  }

  /** The session of the header. */
  get session(): string | undefined {
    return this.#session;
  }

  /** The turn's number, once one has begun. */
  get turn(): number | undefined {
    return this.#turn;
  }

  /** Takes a moment in. Throws where it, or one that waited, cannot be written. */
  add({ row, moment, held, payload, key, settles }: Arriving): void {
    if (moment.scene.agent === undefined) this.#turn = moment.turn;
    const toolCallId = callOf(payload);
    this.#arrived(row.name, moment, toolCallId);
    const { guard, attribute } = row;
    const asks = guard !== undefined && (moment.outcome as Fields)[attribute?.field ?? ""] === attribute?.value;
    this.#waiting.push({
      moment: held.until === undefined ? withoutFields(moment, held.fields) : moment,
      fields: held.fields,
      until: new Set(held.until),
      toolCallId,
      asks: asks && attribute !== undefined,
      key,
      inShadow: [],
    });
    this.#release(settles || row.recorded?.settles === true ? 0 : MAX_WAITING);
  }

  /** Records the answer about a call that a guard asks about. */
  asked(toolCallId: string, asked: NonNullable<MomentLine["asked"]>): void {
    const waiting = this.#waiting.findLast((one) => one.asks && one.toolCallId === toolCallId);
    if (waiting !== undefined) {
      waiting.moment = { ...waiting.moment, asked };
      return;
    }
    const n = this.#asked.get(toolCallId);
    if (n === undefined || this.#writer === undefined) return;
    this.#asked.delete(toolCallId);
    this.#attempt((writer) => writer.asked(n, asked));
  }

  /** Writes the answer of a hook in shadow after its moment, and without its texts if the moment was redacted. */
  saidInShadow(key: object, answer: ShadowAnswer): void {
    const waiting = this.#waiting.find((one) => one.key === key);
    if (waiting !== undefined) waiting.inShadow.push(answer);
    else this.#writeInShadow(this.#written.get(key), answer);
  }

  #writeInShadow(of: Written | undefined, answer: ShadowAnswer): void {
    if (of === undefined || this.#writer === undefined) return;
    this.#attempt((writer) => writer.inShadow(of.n, of.isRedacted ? withoutWords(answer) : answer));
  }

  /** Has what was written kept before it returns. */
  keep(): void {
    this.#sink.keep?.();
  }

  /** Writes what waits and says that nothing is missing; resolves when all is kept. */
  async end(): Promise<void> {
    this.#release(0);
    if (this.#writer !== undefined) this.#attempt((writer) => writer.end());
    this.#writer = undefined;
    await this.#sink.flush();
  }

  /** Looks at what waits for an event: where that has redacted something, it is left out there too. */
  #arrived(event: string, { redacted, scene }: NewMoment, toolCallId: string | undefined): void {
    for (const waiting of this.#waiting) {
      const isSame = waiting.toolCallId === toolCallId && waiting.moment.scene.agent === scene.agent;
      if (!isSame || !waiting.until.delete(event) || redacted === undefined) continue;
      waiting.moment = withoutFields(waiting.moment, waiting.fields);
      waiting.until.clear();
    }
  }

  /** Writes the first ones: those that wait for nothing any more, and of too many what cannot be redacted. */
  #release(most: number): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.until.size > 0 && this.#waiting.length <= most) return;
      this.#waiting.shift();
      this.#write(first.until.size > 0 ? { ...first, moment: withoutFields(first.moment, first.fields) } : first);
    }
  }

  #write({ moment, asks, toolCallId, key, inShadow }: Waiting): void {
    const n = this.#attempt((writer) => {
      try {
        return writer.moment(moment);
      } catch (thrown) {
        if (this.#hasFailed) throw thrown;
        // Values without JSON are left out.
        const { payload: _, ...rest } = moment;
        return writer.moment({ ...rest, hooks: moment.hooks.map(withoutWords), edits: [], outcome: {} });
      }
    });
    if (key !== undefined) {
      const written = { n, isRedacted: moment.redacted !== undefined };
      this.#written.set(key, written);
      for (const answer of inShadow) this.#writeInShadow(written, answer);
    }
    if (!asks || toolCallId === undefined || moment.asked !== undefined) return;
    this.#asked.set(toolCallId, n);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
  }

  /** Writes with the writer of now. After a failure the next one begins anew, where the sink can say at which byte. */
  #attempt<T>(write: (writer: RecordingWriter) => T): T {
    if (this.#hasFailed && this.#sink.place === undefined) throw new Error("it has failed before");
    this.#hasFailed = false;
    try {
      this.#writer ??= this.#begin();
      return write(this.#writer);
    } catch (thrown) {
      if (this.#hasFailed || this.#writer === undefined) {
        this.#writer = undefined;
        this.#hasFailed = true;
        this.#asked.clear();
        this.#written = new WeakMap();
      }
      throw thrown;
    }
  }

  #begin(): RecordingWriter {
    const header = this.#header();
    this.#session = header.session;
    const write = (line: string): void => {
      try {
        this.#sink.write(line);
      } catch (thrown) {
        this.#hasFailed = true;
        throw thrown;
      }
    };
    return new RecordingWriter({ write }, header, { at: this.#sink.place?.() ?? 0, clean: this.#clean });
  }
}

/** The tool call that a payload is about. */
function callOf(payload: Fields): string | undefined {
  const { toolCallId, message } = payload as { readonly toolCallId?: unknown; readonly message?: unknown };
  const id = toolCallId ?? (message as { readonly toolCallId?: unknown } | null | undefined)?.toolCallId;
  return typeof id === "string" ? id : undefined;
}
