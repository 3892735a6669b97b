import type { RecordingBytes } from "../../src/record/lines.ts";
import type { RecordedMoment, RecordingReader } from "../../src/record/read.ts";
import { type NewMoment, RecordingWriter } from "../../src/record/write.ts";

export const HEADER = {
  session: "s1",
  cwd: "/work",
  hookline: "1.0.0",
  level: "all" as const,
  t: 1,
};

/** A moment of an event with this payload. */
export function momentOf(payload: unknown, more: Partial<NewMoment> = {}): NewMoment {
  return {
    t: 5,
    event: "turn.start",
    scene: { cwd: "/work" },
    payload,
    hooks: [],
    edits: [],
    outcome: {},
    ms: 0,
    ...more,
  };
}

/** The recording of some moments, as its file's bytes. */
export function recordingOf(moments: Iterable<NewMoment>, rememberedChars?: number, before = ""): Buffer {
  let text = "";
  const sink = { write: (line: string) => void (text += line) };
  const writer = new RecordingWriter(sink, HEADER, {
    at: Buffer.byteLength(before),
    ...(rememberedChars !== undefined && { rememberedChars }),
  });
  for (const moment of moments) writer.moment(moment);
  writer.end();
  return Buffer.from(before + text);
}

/** Bytes as an open file gives them. */
export function bytesOf(bytes: Uint8Array): RecordingBytes {
  return {
    read(into, from) {
      const part = bytes.subarray(Math.min(from, bytes.length), Math.min(from + into.length, bytes.length));
      into.set(part);
      return part.length;
    },
  };
}

export async function momentsOf(reader: RecordingReader): Promise<RecordedMoment[]> {
  const moments: RecordedMoment[] = [];
  for await (const moment of reader.moments()) moments.push(moment);
  return moments;
}
