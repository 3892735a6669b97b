import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, readJson, type Tier } from "@hookline/ground";
import type { OpenProcess, ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ServerDefinition } from "./definition.ts";

/** The largest message of a server, in bytes; a larger one ends the server (guarantees R8). */
const MOST_BYTES = 8 * 1024 * 1024;
/** How long to wait for the exit code of a program that no longer reads its input, in ms. */
const LAST_WORD_MS = 1000;
/** How long a program may take to end after its input was closed, in ms. */
const GOODBYE_MS = 500;
const LINE_FEED = 10;

/** A server's definition, and the transport, folder and tier with which its program runs. */
export interface StdioParts {
  /** The definition, with its variables already replaced. */
  readonly definition: ServerDefinition;
  readonly processes: Pick<ProcessTransport, "open">;
  readonly cwd: string;
  readonly tier: Tier;
}

/**
 * The client library's transport to a program over stdin and stdout, with one JSON message per line. The program runs
 * in its own process group and ends with the session. Lines that are not messages are reported and skipped.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #parts: StdioParts;
  #process: OpenProcess | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #isFlooded = false;
  #isClosing = false;
  #report: ProcessReport | undefined;

  constructor(parts: StdioParts) {
    this.#parts = parts;
  }

  /** A description of how the program ended; undefined while it runs. */
  get ending(): string | undefined {
    return this.#report && endingOf(this.#report, this.#isFlooded);
  }

  /** Whether the program could not be started at all. */
  get isUnstartable(): boolean {
    return this.#report?.status === "not-started";
  }

  async start(): Promise<void> {
    const { definition, processes, cwd, tier } = this.#parts;
    const { name, command = "", args = [], env = {} } = definition;
    const opened = await processes.open({
      command: { file: command, args },
      cwd,
      tier,
      env,
      label: `MCP server ${name}`,
      onData: (chunk) => this.#take(Buffer.from(chunk)),
    });
    this.#process = opened;
    void opened.ended.then((report) => {
      this.#report = report;
      this.onclose?.();
    });
    // A failed start is only known after a turn of the microtask queue.
    await Promise.resolve();
    if (opened.pid === undefined) {
      this.#report = await opened.ended;
      throw new Error(this.ending);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isWritten = await this.#process?.write(`${JSON.stringify(message)}\n`);
    if (isWritten === true) return;
    // A program that has closed its input has usually ended. Its exit code is more informative than the write error.
    await Promise.race([this.#process?.ended, sleep(LAST_WORD_MS)]);
    throw new Error(this.ending ?? "the server has closed its stdin");
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.end(GOODBYE_MS);
  }

  /** Processes a chunk of output. Resolves in the next turn of the event loop, so that other work runs in between. */
  #take(chunk: Buffer): Promise<void> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, end));
      const line = Buffer.concat(this.#line, this.#lineBytes);
      this.#line = [];
      this.#lineBytes = 0;
      this.#deliver(line);
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    return new Promise((resolve) => setImmediate(resolve));
  }

  #add(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= MOST_BYTES) {
      if (part.length > 0) this.#line.push(part);
      return;
    }
    this.#line = [];
    if (this.#isFlooded) return;
    this.#isFlooded = true;
    void this.#process?.end(0);
  }

  #deliver(line: Buffer): void {
    if (this.#isFlooded || this.#isClosing || line.every((byte) => byte === 13 || byte === 32 || byte === 9)) return;
    const read = readJson(line);
    if (!read.ok) {
      this.onerror?.(new Error(`a line on its stdout is not a message: ${read.message}`));
      return;
    }
    if ((read.value as { jsonrpc?: unknown } | null)?.jsonrpc !== "2.0") {
      this.onerror?.(new Error("a line on its stdout is not a JSON-RPC message"));
      return;
    }
    try {
      this.onmessage?.(read.value as JSONRPCMessage);
    } catch (thrown) {
      this.onerror?.(new Error(messageOf(thrown)));
    }
  }
}

function endingOf({ status, exitCode, signal, startError, stderr }: ProcessReport, isFlooded: boolean): string {
  if (isFlooded) return `it sent a message of more than ${MOST_BYTES} bytes and was ended`;
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const said = last === "" ? "" : `; its last words on stderr: ${last}`;
  if (status === "not-started") return `it could not be started: ${startError?.message ?? "the reason is unknown"}`;
  if (status === "exited") return `it ended with exit code ${exitCode}${said}`;
  if (status === "signalled") return `it was ended by ${signal}${said}`;
  return `it was ended${said}`;
}
