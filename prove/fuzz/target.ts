import type { Chance } from "./chance.ts";

/** One decoder: what reads something that somebody else has written. */
export interface Target {
  readonly name: string;
  /** Reads something random. What is wrong, in words; a decoder that throws has crashed. */
  try(chance: Chance): string | undefined | Promise<string | undefined>;
}
