/** Passes the bytes of one stream in whole UTF-8 characters. */
export interface CharacterGate {
  /** Returns the bytes that may pass now: all except an incomplete character at their end. */
  pass(chunk: Uint8Array): Buffer;
  /** Returns the remaining bytes. Must be called at the end of the stream. */
  rest(): Buffer;
}

/**
 * Makes a gate for one stream, so that several streams can be merged without splitting a character. Bytes are never
 * changed; invalid ones are kept.
 */
export function createCharacterGate(): CharacterGate {
  let held: Buffer = Buffer.alloc(0);
  return {
    pass(chunk) {
      const bytes =
        held.length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
          : Buffer.concat([held, chunk]);
      const end = bytes.length - begunBytes(bytes);
      // The reader of the stream may reuse the chunk's memory, so the bytes are copied.
      held = Buffer.from(bytes.subarray(end));
      return bytes.subarray(0, end);
    },
    rest() {
      const bytes = held;
      held = Buffer.alloc(0);
      return bytes;
    },
  };
}

/** Returns how many bytes at the end belong to an incomplete character: 0 to 3. */
function begunBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}
