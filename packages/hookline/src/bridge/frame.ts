import type { NativeAnswer } from "./host.ts";

/** The version of the frames. It is part of a socket's name, so that two versions never meet. */
export const PROTOCOL = "1";

/** Most bytes of a request's header. */
const MOST_HEADER = 256 * 1024;
/** Most bytes of what a host gives a hook. */
export const MOST_INPUT = 8 * 1024 * 1024;
/** Most bytes of one part of an answer. */
const MOST_ANSWER = 16 * 1024 * 1024;

const GREETING = `hookline/${PROTOCOL}`;
const LENGTH = 4;

/** One native hook call, as a client sends it. */
export interface BridgeRequest {
  readonly host: string;
  /** In the host's own name. */
  readonly event: string;
  /** Which installed entry the call comes from; empty where nobody says. */
  readonly origin: string;
  /** The client's working folder. */
  readonly cwd: string;
  /** Counted from arrival, in ms. */
  readonly deadlineMs: number;
  /** The call goes on when the client goes away. */
  readonly detach: boolean;
  /** The process that has started the client: the host, where it needs no shell in between. */
  readonly parent?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** What the host wrote to the hook's stdin. */
  readonly input: Uint8Array;
}

/** A request as two frames: the header, whose fields are separated by NUL, and the input. Throws for what is too large. */
export function encodeRequest(request: BridgeRequest): Buffer {
  const { host, event, origin, cwd, deadlineMs, detach, parent, env, input } = request;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const flags = [...(detach ? ["detach"] : []), ...(parent === undefined ? [] : [`parent=${parent}`])].join(" ");
  const fields = [GREETING, host, event, origin, cwd, String(deadlineMs), flags, ...variables];
  if (fields.some((field) => field.includes("\0"))) throw new Error("a field of the request holds a NUL character");
  const header = Buffer.from(fields.join("\0"));
  if (header.length > MOST_HEADER) throw new Error("the environment is larger than 256 KiB");
  if (input.length > MOST_INPUT) throw new Error("the host's input is larger than 8 MiB");
  return Buffer.concat([framed(header), framed(input)]);
}

/** An answer as three frames: the exit code in digits, stdout, stderr. */
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

function framed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads a header; throws, in words for a log, for one that is none. */
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

/** A request without what the host wrote to the hook's stdin. */
type Header = Omit<BridgeRequest, "input">;

/** Most headers that are kept, and most bytes of one. */
const MOST_KEPT = 64;
const MOST_KEPT_BYTES = 16 * 1024;

/** Reads headers, and knows again those that it has read: the calls of one hook differ in what the host writes to it. */
export class HeaderReader {
  readonly #kept = new Map<string, Header>();

  /** As `readHeader`. */
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

/** Reads the frames of an answer; throws for what is no answer. */
export function readAnswer([exit, stdout, stderr]: readonly Buffer[]): NativeAnswer {
  const code = exit?.toString() ?? "";
  if (!/^\d{1,3}$/.test(code) || stdout === undefined || stderr === undefined || Number(code) > 255)
    throw new Error("the answer cannot be read");
  return { exit: Number(code), stdout: stdout.toString(), stderr: stderr.toString() };
}

/** The most bytes that each frame of a request may have. */
export const REQUEST_FRAMES: readonly number[] = [MOST_HEADER, MOST_INPUT];
/** The most bytes that each frame of an answer may have. */
export const ANSWER_FRAMES: readonly number[] = [3, MOST_ANSWER, MOST_ANSWER];

/** Puts frames together from bytes that come in pieces of any size. */
export class FrameReader {
  readonly #most: readonly number[];
  readonly #frames: Buffer[] = [];
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** How many bytes must be there before the pieces are looked at again. */
  #needed = LENGTH;

  constructor(most: readonly number[]) {
    this.#most = most;
  }

  /** Takes a piece; gives the frames once all are there. Throws for a frame over its limit, and for bytes behind the last. */
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
