import fc from "fast-check";
import { expect, test } from "vitest";
import { answerIn, encodeRequest, MOST_INPUT } from "../../src/client/client.ts";
import { encodeAnswer, FrameReader, HeaderReader, REQUEST_FRAMES, readHeader } from "../../src/client/frame.ts";

const field = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
const request = fc.record({
  host: field,
  event: field,
  origin: field,
  cwd: field,
  deadlineMs: fc.nat(),
  detach: fc.boolean(),
  parent: fc.option(fc.nat(), { nil: undefined }),
  env: fc.dictionary(
    field.filter((name) => name !== "" && name !== "__proto__" && !name.includes("=")),
    field,
  ),
  input: fc.uint8Array(),
});
const answer = fc.record({ exit: fc.nat(255), stdout: field, stderr: field });

/** Gives bytes to a reader in pieces of these sizes, then the rest. */
function inPieces(reader: FrameReader, bytes: Uint8Array, sizes: readonly number[]): readonly Buffer[] | undefined {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const piece = bytes.subarray(at, at + size);
    at += piece.length;
    const frames = reader.push(piece);
    if (frames !== undefined) return at === bytes.length ? frames : undefined;
  }
  return undefined;
}

const sizes = fc.array(fc.integer({ min: 0, max: 9 }));

test("a request is read as it was written, however it is cut", () => {
  fc.assert(
    fc.property(request, sizes, (written, cut) => {
      const [header, input] = inPieces(new FrameReader(REQUEST_FRAMES), encodeRequest(written), cut) ?? [];
      expect(readHeader(header as Buffer)).toEqual({ ...written, input: undefined });
      expect(Uint8Array.from(input as Buffer)).toEqual(written.input);
    }),
  );
});

test("an answer is read as it was written, once all of it is there", () => {
  fc.assert(
    fc.property(answer, fc.nat(), (written, cut) => {
      const bytes = encodeAnswer(written);
      expect(answerIn(bytes)).toEqual(written);
      expect(answerIn(bytes.subarray(0, cut % bytes.length))).toBeUndefined();
      expect(() => answerIn(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow("cannot be read");
    }),
  );
});

test("bytes that anybody may have sent are read or refused, and nothing else happens", () => {
  fc.assert(
    fc.property(fc.uint8Array(), sizes, (bytes, cut) => {
      try {
        const [header] = inPieces(new FrameReader(REQUEST_FRAMES), bytes, cut) ?? [];
        if (header !== undefined) readHeader(header);
      } catch (thrown) {
        expect((thrown as Error).message).toMatch(/^(?:frame|bytes|the request|a variable)/);
      }
    }),
  );
});

test("what is over its limit is not waited for, and not sent", () => {
  const length = Buffer.from([0, 0, 0, 1, 120, 255, 255, 255, 255]);
  expect(() => new FrameReader([1, 10]).push(length)).toThrow("frame 2 has 4294967295 bytes; 10 are allowed");
  const plain = { host: "h", event: "e", origin: "", cwd: "/", deadlineMs: 1, detach: false, env: {} };
  expect(() => encodeRequest({ ...plain, input: new Uint8Array(MOST_INPUT + 1) })).toThrow("8 MiB");
  const env = { LONG: "x".repeat(256 * 1024) };
  expect(() => encodeRequest({ ...plain, env, input: new Uint8Array() })).toThrow("the environment is too large");
});

test("headers that were read before are known again, each as it was written", () => {
  const headers = new HeaderReader();
  const header = (written: Parameters<typeof encodeRequest>[0]): Buffer => {
    const [bytes] = new FrameReader(REQUEST_FRAMES).push(encodeRequest(written)) ?? [];
    return bytes as Buffer;
  };
  fc.assert(
    fc.property(fc.array(request, { minLength: 1 }), (all) => {
      for (const written of [...all, ...all])
        expect(headers.read(header(written))).toEqual({ ...written, input: undefined });
    }),
  );
  const long = { host: "h", event: "e", origin: "", cwd: "/", deadlineMs: 1, detach: false, input: new Uint8Array() };
  for (const letter of ["a", "b"]) {
    const env = { LONG: letter.repeat(20_000) };
    expect(headers.read(header({ ...long, env })).env).toEqual(env);
  }
});

test("a header of another version, without a deadline or with a nameless variable is none", () => {
  const header = (...fields: string[]): Buffer => Buffer.from(fields.join("\0"));
  expect(() => readHeader(header("hookline/2", "h", "e", "", "/", "1", ""))).toThrow("hookline/1");
  expect(() => readHeader(header("hookline/1", "h", "e", "", "/"))).toThrow("ends early");
  expect(() => readHeader(header("hookline/1", "h", "e", "", "/", "soon", ""))).toThrow("deadline");
  expect(() => readHeader(header("hookline/1", "h", "e", "", "/", "1", "", "=x"))).toThrow("no name");
});
