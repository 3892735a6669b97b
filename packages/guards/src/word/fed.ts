import type { ReadCommand } from "@hookline/runtime/command";

/** Matches programs that pass their input to another program as arguments. */
export const FEEDER = /^(?:g?xargs|parallel)$/;

/** Whether a command gets arguments from the input of a program that starts it, such as `xargs`. */
export function isFed({ through }: Pick<ReadCommand, "through">): boolean {
  return through.some((one) => FEEDER.test(one));
}
