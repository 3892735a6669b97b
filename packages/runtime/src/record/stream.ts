import type { Fields } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { MomentLine, ShadowAnswer } from "./line.ts";
import { withoutFields, withoutWords } from "./redacted.ts";
import type { FileSink } from "./sink.ts";
import { type NewHeader, type NewMoment, RecordingWriter } from "./write.ts";

/** The number of moments that may wait because their fields may still be redacted. */
const MAX_WAITING = 64;
/** The number of calls with an open question to a person that are remembered. */
const MAX_ASKED = 256;

/**
 * The payload fields of a moment that hooks of later events may still redact. The moment waits for the events in
 * `until`; if that is `undefined`, it is recorded at once, without the fields.
 */
export interface Held {
  readonly fields: readonly string[];
  readonly until: ReadonlySet<string> | undefined;
}

/** A moment that is about to be recorded. */
export interface Arriving {
  readonly row: CatalogRow;
  readonly moment: NewMoment;
  readonly held: Held;
  /** The payload as the host passed it. */
  readonly payload: Fields;
  /** Identifies the moment for the answers of hooks in shadow. */
  readonly key: object | undefined;
  /** Whether all waiting moments are written now, without fields that may still be redacted. */
  readonly settles: boolean;
}

/** A moment that waits because its fields may still be redacted, or because an earlier moment waits. */
interface Waiting {
  moment: NewMoment;
  readonly fields: readonly string[];
  readonly until: Set<string>;
  readonly toolCallId: string | undefined;
  /** Whether a guard wants a person to decide. */
  readonly asks: boolean;
  readonly key: object | undefined;
  /** The answers of hooks in shadow so far. */
  readonly inShadow: ShadowAnswer[];
}

interface Written {
  readonly n: number;
  readonly isRedacted: boolean;
}

/** Writes the moments of one sink in their order. */
export class Stream {
  readonly #sink: FileSink;
  readonly #header: () => NewHeader;
  readonly #clean: (text: string) => string;
  readonly #waiting: Waiting[] = [];
  /** The numbers of written moments whose question to a person is open, by tool call. */
  readonly #asked = new Map<string, number>();
  /** Written moments about which hooks in shadow are still asked. */
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

  /** The id of the session in the header. */
  get session(): string | undefined {
    return this.#session;
  }

  /** The number of the current turn; `undefined` before the first. */
  get turn(): number | undefined {
    return this.#turn;
  }

  /** Adds a moment. Throws if this moment, or an earlier one that is now due, cannot be written. */
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

  /** Records the answer to a guard's question about a call. */
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

  /** Writes the answer of a hook in shadow after its moment, without texts if the moment was redacted. */
  saidInShadow(key: object, answer: ShadowAnswer): void {
    const waiting = this.#waiting.find((one) => one.key === key);
    if (waiting !== undefined) waiting.inShadow.push(answer);
    else this.#writeInShadow(this.#written.get(key), answer);
  }

  #writeInShadow(of: Written | undefined, answer: ShadowAnswer): void {
    if (of === undefined || this.#writer === undefined) return;
    this.#attempt((writer) => writer.inShadow(of.n, of.isRedacted ? withoutWords(answer) : answer));
  }

  /** Makes what was written durable before it returns. */
  keep(): void {
    this.#sink.keep?.();
  }

  /** Writes the waiting moments and the line that ends a recording; resolves when all of it is stored. */
  async end(): Promise<void> {
    this.#release(0);
    if (this.#writer !== undefined) this.#attempt((writer) => writer.end());
    this.#writer = undefined;
    await this.#sink.flush();
  }

  /**
   * Removes an event from those that this call's moments wait for. If hooks have redacted something at that event, the
   * moments lose their redactable fields and are no longer held back.
   */
  #arrived(event: string, { redacted, scene }: NewMoment, toolCallId: string | undefined): void {
    for (const waiting of this.#waiting) {
      const isSame = waiting.toolCallId === toolCallId && waiting.moment.scene.agent === scene.agent;
      if (!isSame || !waiting.until.delete(event) || redacted === undefined) continue;
      waiting.moment = withoutFields(waiting.moment, waiting.fields);
      waiting.until.clear();
    }
  }

  /**
   * Writes the oldest moments, up to the first that still waits for an event. While more than `most` moments are left,
   * that one is written too, without its redactable fields.
   */
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
        // Part of the moment has no JSON, so it is written without its payload, answers and edits.
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

  /** Calls `write` with the current writer. After a failure a new writer begins, if the sink has `place()`. */
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

/** Returns the id of the tool call that a payload is about. */
function callOf(payload: Fields): string | undefined {
  const { toolCallId, message } = payload as { readonly toolCallId?: unknown; readonly message?: unknown };
  const id = toolCallId ?? (message as { readonly toolCallId?: unknown } | null | undefined)?.toolCallId;
  return typeof id === "string" ? id : undefined;
}
