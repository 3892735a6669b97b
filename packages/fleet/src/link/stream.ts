import { readJson } from "../kit.ts";
import type { Bus } from "./bus.ts";

/** NATS's error code: the last message of the subject is not the one that the sender expected. */
const WRONG_LAST = 10_071;
const NOT_FOUND = 404;

/** A message in a stream. */
export interface Stored {
  readonly subject: string;
  /** The message's number in the stream, from 1. */
  readonly seq: number;
  readonly data: Uint8Array;
  /** Returns a header of the message; an empty string if it has none of this name. */
  readonly header: (name: string) => string;
}

interface ApiError {
  readonly err_code?: number;
  readonly description?: string;
}

/** Returns the last message of a subject; `undefined` if there is none. Rejects if the server does not answer. */
export async function lastOn(bus: Bus, stream: string, subject: string): Promise<Stored | undefined> {
  const reply = await bus.request(`$JS.API.DIRECT.GET.${stream}.${subject}`, new Uint8Array());
  return storedIn(reply, `the last message of ${subject} in ${stream}`);
}

/** Returns the first message of a subject, which may have wildcards, with this number or a higher one. */
export async function nextOn(
  bus: Bus,
  { stream, subject, seq }: { readonly stream: string; readonly subject: string; readonly seq: number },
): Promise<Stored | undefined> {
  const asked = Buffer.from(JSON.stringify({ seq, next_by_subj: subject }));
  return storedIn(await bus.request(`$JS.API.DIRECT.GET.${stream}`, asked), `message ${seq} of ${stream}`);
}

/**
 * Adds a message if the last one of its subject has the number `after`, 0 for none. Returns the new number, or `other`
 * if the last message is another one. Rejects if the stream does not accept it.
 */
export async function addTo(
  bus: Bus,
  {
    subject,
    data,
    after,
    headers: more = {},
  }: {
    readonly subject: string;
    readonly data: Uint8Array;
    readonly after: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<number | "other"> {
  const headers = { "Nats-Expected-Last-Subject-Sequence": `${after}`, ...more };
  const reply = await bus.request(subject, data, headers);
  const reading = readJson(reply.data);
  const said = reading.ok ? (reading.value as { readonly seq?: unknown; readonly error?: ApiError } | null) : undefined;
  if (said?.error?.err_code === WRONG_LAST) return "other";
  if (said?.error !== undefined)
    throw new Error(`the stream refused ${subject}: ${said.error.description ?? said.error.err_code}`);
  if (typeof said?.seq !== "number" || said.seq < 1) throw new Error(`the server did not acknowledge ${subject}`);
  return said.seq;
}

function storedIn({ code, data, header }: Awaited<ReturnType<Bus["request"]>>, what: string): Stored | undefined {
  if (code === NOT_FOUND) return undefined;
  if (code !== undefined) throw new Error(`the server did not return ${what}: ${code}`);
  return { subject: header("Nats-Subject"), seq: Number(header("Nats-Sequence")), data, header };
}
