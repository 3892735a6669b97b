import { PassThrough } from "node:stream";
import { HooklineError } from "@hookline/ground";
import { expect, test } from "vitest";
import { readInput } from "../../src/io/stdin.ts";

/** Limits that run out at once, or never in a test. */
const AT_ONCE = { toldMs: 1, givenUpMs: 20 };
const NEVER = { toldMs: 2 ** 30, givenUpMs: 2 ** 30 };

function waiting(isOptional: boolean) {
  const told: string[] = [];
  return { told, wait: { isOptional, tell: (line: string) => void told.push(line) } };
}

test("available input is read to its end without a message", async () => {
  const { told, wait } = waiting(true);
  const stream = new PassThrough();
  stream.write("one ");
  setImmediate(() => stream.end(Buffer.from("é")));
  expect(await readInput(stream, wait, NEVER)).toBe("one é");
  expect(told).toEqual([]);
});

test("with a prompt, missing input is reported and then given up", async () => {
  const { told, wait } = waiting(true);
  const stream = new PassThrough();
  expect(await readInput(stream, wait, AT_ONCE)).toBe("");
  expect(told).toEqual([
    "Waiting for stdin; --no-stdin (or </dev/null) skips it.",
    "Nothing came on stdin within 0.02 s; going on without it.",
  ]);
  expect(stream.destroyed).toBe(true);
});

test("without a prompt, missing input is reported, and late input becomes the prompt", async () => {
  const { told, wait } = waiting(false);
  const stream = new PassThrough();
  const tell = (line: string): void => {
    wait.tell(line);
    stream.end("late");
  };
  expect(await readInput(stream, { ...wait, tell }, AT_ONCE)).toBe("late");
  expect(told).toEqual(["Waiting for stdin as the prompt."]);
});

test("after the first byte, the end is waited for", async () => {
  const { told, wait } = waiting(true);
  const stream = new PassThrough();
  const reading = readInput(stream, wait, { toldMs: 30, givenUpMs: 60 });
  stream.write("a");
  await new Promise((resolve) => setTimeout(resolve, 150));
  stream.end("b");
  expect(await reading).toBe("ab");
  expect(told).toEqual([]);
});

test("too much is refused, and no more of it is read", async () => {
  const { wait } = waiting(true);
  let given = 0;
  async function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, (given += 1));
  }
  const stream = endless() as unknown as NodeJS.ReadableStream;
  const error = await readInput(stream, wait, NEVER).catch((thrown: unknown) => thrown);
  expect(HooklineError.isInstance(error) && error.message).toBe("stdin is larger than 8 MiB");
  expect(given).toBe(9);
});

test("input of exactly the maximum size is accepted", async () => {
  const { wait } = waiting(true);
  const stream = new PassThrough();
  stream.end("x".repeat(1000));
  expect(await readInput(stream, wait, { ...NEVER, maxBytes: 1000 })).toHaveLength(1000);
});

test("a stream that fails is the reader's failure", async () => {
  const { wait } = waiting(true);
  const stream = new PassThrough();
  setImmediate(() => stream.destroy(new Error("EISDIR: it is a folder")));
  await expect(readInput(stream, wait, NEVER)).rejects.toThrow("EISDIR: it is a folder");
});
