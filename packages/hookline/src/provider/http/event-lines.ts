const LF = 10;
const CR = 13;

/**
 * Reads the data of server-sent events from the chunks of a body. An event is complete at the empty line after it;
 * comments and fields other than `data` are ignored. Source: WHATWG HTML 9.2.6.
 */
export class EventLines {
  /** Bytes of an incomplete line, or of a line whose line break may continue in the next chunk. */
  #rest: Uint8Array | undefined;
  #data: string[] = [];
  #begun = false;

  /** Returns the events that a chunk completes, in order. */
  read(piece: Uint8Array): string[] {
    const bytes = this.#rest === undefined ? asBuffer(piece) : Buffer.concat([this.#rest, piece]);
    let end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    // A line break of two characters may be split between chunks.
    if (end === bytes.length && bytes[end - 1] === CR) end = lineEndBefore(bytes, end - 1);
    this.#rest = end === bytes.length ? undefined : bytes.subarray(end);
    return end === 0 ? [] : this.#events(bytes.toString("utf8", 0, end));
  }

  /** Returns the events that the end of the body completes. */
  end(): string[] {
    const text = this.#rest === undefined ? "" : asBuffer(this.#rest).toString("utf8");
    this.#rest = undefined;
    return text === "" ? [] : this.#events(/[\r\n]$/.test(text) ? text : `${text}\n`);
  }

  #events(whole: string): string[] {
    const text = this.#begun || whole.charCodeAt(0) !== 0xfeff ? whole : whole.slice(1);
    this.#begun = true;
    const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
    // Text after the last line break is not yet a line.
    lines.pop();
    const events: string[] = [];
    for (const line of lines) {
      if (line.startsWith("data:")) this.#data.push(line.slice(line[5] === " " ? 6 : 5));
      else if (line === "data") this.#data.push("");
      else if (line === "" && this.#data.length > 0) {
        events.push(this.#data.join("\n"));
        this.#data = [];
      }
    }
    return events;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function lineEndBefore(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : Math.max(bytes.lastIndexOf(LF, at - 1), bytes.lastIndexOf(CR, at - 1)) + 1;
}
