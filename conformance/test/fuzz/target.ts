import type { Chance } from "../../../prove/stage/chance.ts";

/** A decoder of data that others have written. */
export interface Target {
  readonly name: string;
  /** Decodes random data. Returns what is wrong; a decoder that throws has crashed. */
  try(chance: Chance): string | undefined | Promise<string | undefined>;
}
