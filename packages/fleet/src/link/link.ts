import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { type Clock, messageOf, type Timer } from "../kit.ts";
import { namesOf } from "../name/subjects.ts";
import type { Creds } from "../sign/creds.ts";
import { addressOf } from "./address.ts";
import { spread } from "./spread.ts";

/** How long the first question after a loss of the connection waits for a new one, in ms. */
export const CONNECT_MS = 2000;

/** `RETRY_MS` is the wait before a failed first connection is tried again. It doubles up to `MOST_RETRY_MS`. */
const RETRY_MS = 250;
const MOST_RETRY_MS = 5000;
/** Before an attempt to reconnect, waits this part of the time since the loss, at most `MOST_AWAY_MS`. */
const AWAY_PART = 1 / 4;
const MOST_AWAY_MS = 2000;
const SPREAD = 0.5;

/** Options of a connection. */
export interface LinkOptions {
  readonly url: string;
  readonly creds: Pick<Creds, "fleet" | "machine" | "role" | "token" | "key">;
  readonly clock: Clock;
  readonly connectMs?: number;
  /** Called with each problem of the connection, in words. */
  tell?(problem: string): void;
}

/** The answer to a request: a message, or why there will be none. */
export type RequestOutcome =
  | { readonly state: "reply"; readonly data: Uint8Array }
  | { readonly state: "nobody" }
  | { readonly state: "late" }
  | { readonly state: "lost" };

/**
 * The connection of one machine to its fleet. It is made on first use and kept up in the background from then on. While
 * it is down, only the first request waits for it, for at most `connectMs`; later ones fail at once.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #waiting = new Set<() => void>();
  readonly #replies = new Map<string, (message: Msg) => void>();
  /** The NATS client, loaded at the first connection. */
  #library: typeof import("./client.ts") | undefined;
  #connection: NatsConnection | undefined;
  #opening: Promise<void> | undefined;
  readonly #listeners = new Set<(connection: NatsConnection) => void>();
  readonly #connects = new Set<() => void>();
  #isConnected = false;
  /** Whether a request has given up waiting since the connection was lost, so that later ones do not wait. */
  #isGivenUp = false;
  #isClosed = false;
  /** The time of the first attempt to restore a lost connection, by `clock.now()`. */
  #awaySince: number | undefined;
  #retry: Timer | undefined;
  /** Runs from the loss of the connection; when it ends, requests stop waiting for a new one. */
  #grace: Timer | undefined;
  /** Functions that end the requests that wait for a reply. */
  readonly #losing = new Set<() => void>();
  #count = 0;
  /** Prefix of the subjects on which this link receives replies; empty until the first connection. */
  #inbox = "";
  #lastProblem: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** The last problem of the connection; `undefined` while it is connected. */
  get problem(): string | undefined {
    return this.#isConnected ? undefined : this.#lastProblem;
  }

  /** The connection itself; `undefined` while there is none. */
  get connection(): NatsConnection | undefined {
    return this.#isConnected ? this.#connection : undefined;
  }

  /** Starts to connect, without waiting for the connection. */
  begin(): void {
    if (this.#isClosed) return;
    this.#opening ??= this.#open(RETRY_MS);
  }

  /** Waits for the connection, at most the shorter of `mostMs` and `connectMs`; false if there is none by then. */
  async ready(mostMs: number, signal?: AbortSignal): Promise<boolean> {
    this.begin();
    if (this.#isConnected) return true;
    if (this.#isGivenUp || this.#isClosed) return false;
    const { clock, connectMs = CONNECT_MS } = this.#options;
    const isShort = mostMs < connectMs;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal?.removeEventListener("abort", done);
        timer.cancel();
        resolve();
      };
      const timer = clock.timer(Math.min(mostMs, connectMs), () => {
        // If the caller's limit is shorter, its end proves nothing: the server may still answer within `connectMs`.
        if (!isShort) this.#isGivenUp = true;
        done();
      });
      timer.hold(true);
      this.#waiting.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
    return this.#isConnected;
  }

  /**
   * Sends a request and waits for the first reply. With `again` it is sent once more if no reply came within that many
   * ms.
   */
  request(
    subject: string,
    data: Uint8Array,
    options: {
      readonly headers: Readonly<Record<string, string>>;
      readonly mostMs: number;
      readonly again?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<RequestOutcome> {
    const { clock } = this.#options;
    const { mostMs, again, signal } = options;
    const token = `${this.#count++}`;
    const timers: Timer[] = [];
    return new Promise<RequestOutcome>((resolve) => {
      let sent = 0;
      let refused = 0;
      const end = (reply: RequestOutcome): void => {
        for (const timer of timers) timer.cancel();
        this.#replies.delete(token);
        this.#losing.delete(lost);
        signal?.removeEventListener("abort", abort);
        resolve(reply);
      };
      const abort = (): void => end({ state: "late" });
      const lost = (): void => end({ state: "lost" });
      this.#losing.add(lost);
      const send = (): boolean => {
        try {
          this.#send(subject, data, { token, headers: options.headers });
          sent += 1;
          return true;
        } catch {
          return false;
        }
      };
      this.#replies.set(token, (message) => {
        if (message.data.length > 0 || message.headers?.code !== 503) end({ state: "reply", data: message.data });
        // The request fails only when each sent copy was refused: a worker may still answer the other copy.
        else if (++refused === sent) end({ state: "nobody" });
      });
      const after = (ms: number, fire: () => void): void => {
        const timer = clock.timer(ms, fire);
        timer.hold(true);
        timers.push(timer);
      };
      after(mostMs, () => end({ state: "late" }));
      if (again !== undefined)
        after(again, () => {
          if (this.#isConnected) send();
        });
      signal?.addEventListener("abort", abort, { once: true });
      if (!send()) lost();
    });
  }

  /** Sends a message without a reply; it is dropped while there is no connection. */
  publish(subject: string, data: Uint8Array, headers: Readonly<Record<string, string>>): void {
    if (this.#isConnected) this.#send(subject, data, { headers });
  }

  /** Calls `listen` with the current connection, and with each one that replaces it. */
  serve(listen: (connection: NatsConnection) => void): void {
    this.#listeners.add(listen);
    if (this.#connection !== undefined) listen(this.#connection);
  }

  /** Calls `connected` each time a connection is made, the first included; returns the function that undoes this. */
  whenConnected(connected: () => void): () => void {
    this.#connects.add(connected);
    return () => void this.#connects.delete(connected);
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#grace?.cancel();
    for (const end of [...this.#waiting, ...this.#losing]) end();
    this.#isConnected = false;
    void this.#connection?.close().catch(() => undefined);
  }

  #send(
    subject: string,
    data: Uint8Array,
    { token, headers }: { readonly token?: string; readonly headers: Readonly<Record<string, string>> },
  ): void {
    if (this.#connection === undefined || this.#library === undefined) throw new Error("there is no connection");
    const own = this.#library.headers();
    for (const [name, value] of Object.entries(headers)) own.set(name, value);
    const reply = token === undefined ? {} : { reply: `${this.#inbox}${token}` };
    this.#connection.publish(subject, data, { ...reply, headers: own });
  }

  async #open(retryMs: number): Promise<void> {
    const { url, creds, clock } = this.#options;
    try {
      const { host, port, needsTls } = addressOf(url);
      this.#library = await import("./client.ts");
      const { connect, createInbox } = this.#library;
      const connection = await connect({
        servers: `${host}:${port}`,
        authenticator: (nonce) => ({
          jwt: creds.token,
          nkey: creds.key.public,
          sig: creds.key.sign(Buffer.from(nonce ?? "")).toString("base64url"),
        }),
        name: `hookline ${creds.role} ${creds.machine}`,
        inboxPrefix: namesOf(creds.fleet).inbox(creds.machine),
        maxReconnectAttempts: -1,
        reconnectDelayHandler: () => {
          this.#awaySince ??= clock.now();
          const part = (clock.now() - this.#awaySince) * AWAY_PART;
          return spread(Math.min(MOST_AWAY_MS, Math.max(RETRY_MS, part)), SPREAD);
        },
        // Tries again after a refused login: the machine may be enrolled again, or the server set up anew.
        ignoreAuthErrorAbort: true,
        ignoreClusterUpdates: needsTls === false,
        pingInterval: 20_000,
        maxPingOut: 2,
        noAsyncTraces: true,
        timeout: 5000,
        ...(needsTls && { tls: {} }),
      });
      if (this.#isClosed) return void connection.close();
      // Without this check an attacker in between could remove the server's request for encryption.
      if (needsTls && connection.info?.tls_required !== true && connection.info?.tls_available !== true) {
        await connection.close();
        throw new Error(`${host}:${port} does not encrypt its connections`);
      }
      this.#connection = connection;
      this.#inbox = `${createInbox(namesOf(creds.fleet).inbox(creds.machine))}.`;
      connection.subscribe(`${this.#inbox}*`, {
        callback: (error, message) => {
          if (error === null) this.#replies.get(message.subject.slice(this.#inbox.length))?.(message);
        },
      });
      void this.#follow(connection);
      this.#connected();
      for (const listen of this.#listeners) listen(connection);
    } catch (thrown) {
      this.#failed(messageOf(thrown));
      if (this.#isClosed) return;
      this.#retry = clock.timer(spread(retryMs, SPREAD), () => {
        this.#opening = this.#open(Math.min(retryMs * 2, MOST_RETRY_MS));
      });
    }
  }

  #connected(): void {
    this.#isConnected = true;
    this.#isGivenUp = false;
    this.#awaySince = undefined;
    this.#grace?.cancel();
    for (const done of [...this.#waiting]) done();
    for (const connected of [...this.#connects]) connected();
  }

  /** Reports that there is no connection. Requests that wait for a reply fail if no new one is made in time. */
  #failed(problem: string): void {
    if (this.#isConnected) {
      const { clock, connectMs = CONNECT_MS } = this.#options;
      const timer = clock.timer(connectMs, () => {
        if (this.#isConnected) return;
        this.#isGivenUp = true;
        for (const lost of [...this.#losing]) lost();
      });
      timer.hold(true);
      this.#grace = timer;
    }
    this.#isConnected = false;
    if (problem !== this.#lastProblem) this.#options.tell?.(problem);
    this.#lastProblem = problem;
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (this.#isClosed) return;
      if (status.type === "disconnect") this.#failed("the connection was lost");
      else if (status.type === "reconnect") this.#connected();
      else if (status.type === "error") {
        this.#lastProblem = status.error.message;
        this.#options.tell?.(status.error.message);
      }
    }
    if (this.#isClosed) return;
    this.#failed("the connection was closed");
    this.#opening = this.#open(RETRY_MS);
  }
}
