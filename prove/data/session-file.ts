import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionManager } from "../../packages/hookline/src/session/session.ts";
import { sampleSession, unsynced } from "../sessions/sample.ts";
import type { Dice } from "../stage/dice.ts";
import { folder } from "../stage/ground.ts";

/**
 * Checks a session in which some entries have foreign keys at all depths: it must open, and its conversation must be
 * readable.
 */
export async function sessionOf(value: Record<string, unknown>, chance: Dice): Promise<string | undefined> {
  using top = folder();
  const text = sampleSession(top.path).toString("utf8").trimEnd();
  const [header = "", ...entries] = text.split("\n");
  const poison = JSON.stringify(value).slice(1, -1);
  const put = (line: string): string => {
    if (!chance.chance(0.6)) return line;
    // Adds the foreign key beside the entry's own keys, or in the first object in it.
    return chance.chance(0.5) ? `{${poison},${line.slice(1)}` : line.replace(/:\{/, () => `:{${poison},`);
  };
  const path = join(top.path, "poisoned.jsonl");
  writeFileSync(path, `${[header, ...entries.map(put)].join("\n")}\n`);
  const before = readFileSync(path, "utf8");
  try {
    const session = SessionManager.open(path, undefined, undefined, { disk: unsynced });
    const { messages } = session.buildSessionContext();
    session.close();
    if (messages.some((message) => Object.getPrototypeOf(message) !== Object.prototype))
      return "a message inherits from foreign data";
    return readFileSync(path, "utf8") === before ? undefined : "the reading has changed the file";
  } catch (thrown) {
    return `it could not be opened: ${String(thrown)}`;
  }
}
