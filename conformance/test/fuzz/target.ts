import type { Chance } from "../../../prove/stage/chance.ts";

/** A decoder of something that others have written. */
export interface Target {
  readonly name: string;
  /** Decodes something random. Returns what is wrong; a decoder that throws has crashed. */
  try(chance: Chance): string | undefined | Promise<string | undefined>;
}
