import type { Socket } from "node:net";
import { callOf, serveRaw } from "../../packages/runtime/test/http/servers.ts";
import type { Experiment } from "../processes/experiment.ts";
import { each } from "../processes/ground.ts";
import { asker, inTime } from "./ground.ts";

const LIMIT_MS = 10_000;
const BODY = '{"decision":"deny","reason":"nö"}';
const ANSWERS: Readonly<Record<string, Buffer>> = {
  "with a length": Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`),
  "in chunks": Buffer.from(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n${BODY.slice(0, 5)}\r\n` +
      `${(Buffer.byteLength(BODY) - 5).toString(16)}\r\n${BODY.slice(5)}\r\n0\r\n\r\n`,
  ),
};

/** Ways to continue or cut an answer after its first `at` bytes. */
const CUTS: Readonly<Record<string, (socket: Socket, rest: Buffer) => void>> = {
  "ends there": (socket) => void socket.end(),
  "is reset there": (socket) => void socket.resetAndDestroy(),
  "goes on a moment later": (socket, rest) => void setImmediate(() => socket.end(rest)),
};

async function trial(answer: Buffer, cut: string, at: number): Promise<string | undefined> {
  await using server = await serveRaw((socket) =>
    socket.write(answer.subarray(0, at), () => CUTS[cut]?.(socket, answer.subarray(at))),
  );
  await using transport = asker();
  const report = await inTime(transport.ask(callOf(server.url, { timeoutMs: LIMIT_MS })), LIMIT_MS);
  const isWhole = cut.startsWith("goes on");
  const wanted = isWhole ? ["answered", BODY] : ["broken", ""];
  const got = [report?.status ?? "hanging", report?.body];
  return got.join() === wanted.join() ? undefined : `was ${got.join(": ")}`;
}

/**
 * An answer that is cut at any byte: if the rest follows in pieces it is still the answer, without its end it is not.
 */
export const torn: Experiment = {
  id: "R56, torn answers",
  paths: [],
  async run(tally, { full }) {
    const trials = Object.entries(ANSWERS).flatMap(([form, answer]) =>
      Object.keys(CUTS).flatMap((cut) => Array.from(answer.keys(), (at) => ({ form, answer, cut, at }))),
    );
    const some = full ? trials : trials.filter((_, index) => index % 5 === 0);
    await each(some, 8, async ({ form, answer, cut, at }) => {
      const problem = await trial(answer, cut, at);
      tally.trial(problem && `an answer ${form} that ${cut}, after ${at} bytes: ${problem}`);
    });
    if (full) tally.figure("every byte of two answers, three ways");
  },
};
