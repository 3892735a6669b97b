import { type BridgeRequest, MOST_HEADER, MOST_INPUT } from "./client.ts";
import type { NativeAnswer } from "./native-answer.ts";
import { PROTOCOL } from "./place.ts";

const GREETING = `hookline/${PROTOCOL}`;
const LENGTH = 4;

/** Encodes an answer as three frames: the exit code in digits, stdout, stderr. */
export function encodeAnswer({ exit, stdout, stderr }: NativeAnswer): Buffer {
  const parts = [String(exit), stdout, stderr];
  const bytes = Buffer.allocUnsafe(parts.reduce((size, part) => size + LENGTH + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) {
    const length = bytes.write(part, at + LENGTH);
    bytes.writeUInt32BE(length, at);
    at += LENGTH + length;
  }
  return bytes;
}

/** Reads a request's header. Throws for an invalid one, with a message for the daemon's log. */
export function readHeader(bytes: Buffer): Header {
  const [greeting, host = "", event = "", origin = "", cwd = "", deadline = "", flags, ...variables] = bytes
    .toString()
    .split("\0");
  if (greeting !== GREETING) throw new Error(`the request does not begin with ${GREETING}`);
  if (flags === undefined) throw new Error("the request's header ends early");
  const deadlineMs = Number(deadline);
  if (!/^\d{1,10}$/.test(deadline)) throw new Error("the request's deadline is not a number of milliseconds");
  const env = variables.map((variable) => {
    const at = variable.indexOf("=");
    if (at < 1) throw new Error("a variable of the request has no name");
    return [variable.slice(0, at), variable.slice(at + 1)] as const;
  });
  const detach = flags.split(" ").includes("detach");
  const parent = /(?:^| )parent=(\d{1,10})(?: |$)/.exec(flags)?.[1];
  const read = { host, event, origin, cwd, deadlineMs, detach, env: Object.fromEntries(env) };
  return parent === undefined ? read : { ...read, parent: Number(parent) };
}

/** A request without the input that the host wrote to the hook's stdin. */
type Header = Omit<BridgeRequest, "input">;

/** Limits of the cache: `MOST_KEPT` headers, each of at most `MOST_KEPT_BYTES`. */
const MOST_KEPT = 64;
const MOST_KEPT_BYTES = 16 * 1024;

/** Reads headers and caches them: the calls of one hook differ only in their input. */
export class HeaderReader {
  readonly #kept = new Map<string, Header>();

  /** Reads a header as `readHeader` does. */
  read(bytes: Buffer): Header {
    if (bytes.length > MOST_KEPT_BYTES) return readHeader(bytes);
    const key = bytes.toString("latin1");
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const header = readHeader(bytes);
    this.#kept.set(key, header);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return header;
  }
}

/** The most bytes that each frame of a request may have. */
export const REQUEST_FRAMES: readonly number[] = [MOST_HEADER, MOST_INPUT];

/** Assembles frames from bytes that arrive in pieces of any size. */
export class FrameReader {
  readonly #most: readonly number[];
  readonly #frames: Buffer[] = [];
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** How many bytes must have arrived before the frames can be read further. */
  #needed = LENGTH;

  constructor(most: readonly number[]) {
    this.#most = most;
  }

  /**
   * Adds a piece; returns the frames once all are complete. Throws for a frame over its limit, and for bytes after the
   * last frame.
   */
  push(piece: Uint8Array): readonly Buffer[] | undefined {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#needed) return undefined;
    const all = Buffer.concat(this.#pieces);
    let at = 0;
    for (let most = this.#most[this.#frames.length]; most !== undefined; most = this.#most[this.#frames.length]) {
      this.#needed = LENGTH;
      if (all.length - at >= LENGTH) {
        const length = all.readUInt32BE(at);
        if (length > most) throw new Error(`frame ${this.#frames.length + 1} has ${length} bytes; ${most} are allowed`);
        this.#needed += length;
      }
      if (all.length - at < this.#needed) {
        this.#pieces = [all.subarray(at)];
        this.#size = all.length - at;
        return undefined;
      }
      this.#frames.push(all.subarray(at + LENGTH, at + this.#needed));
      at += this.#needed;
    }
    if (at < all.length) throw new Error("bytes follow the last frame");
    return this.#frames;
  }
}
