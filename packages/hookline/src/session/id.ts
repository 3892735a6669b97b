import { randomBytes, randomUuid, uuidOf } from "@hookline/ground/system";

const ATTEMPTS = 100;

/** Makes a new entry id: 8 unused hex digits, or a UUID after 100 collisions. */
export function newEntryId(taken: (id: string) => boolean, random: () => string = randomUuid): string {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const id = random().slice(0, 8);
    if (!taken(id)) return id;
  }
  return random();
}

let lastMs = 0;
let sequence = 0;

/** Makes a new session id, a UUID v7. Ids of one process sort by age even if the clock goes back. */
export function newSessionId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  if (now > lastMs) {
    lastMs = now;
    sequence = bytes.readUInt16BE(6) & 0x3ff;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return uuidOf(bytes);
}

/** Returns the id that a person chose, or a new one. Throws pi's error for an id that cannot be in a file name. */
export function chosenId(id: string | undefined): string {
  if (id === undefined) return newSessionId();
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(id)) return id;
  throw new Error(
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
  );
}
