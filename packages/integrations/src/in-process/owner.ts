import type { Instance, Surroundings } from "@hookline/runtime/dialect";
import { moduleText } from "./module-text.ts";

/** One loaded module, for its API object. */
export interface Owner {
  readonly around: Surroundings;
  readonly instance: Instance;
  /** The module's name for its API object, for reports. */
  readonly name: string;
  /** False while the module's factory runs; until then actions are refused. Set by `loadFactory`. */
  bound: boolean;
}

const texts = new WeakMap<Owner, string>();

/** The 1-based line of the module's file that first contains one of the wanted texts; 1 if none does. */
export function lineOf(owner: Owner, ...wanted: readonly string[]): number {
  let text = texts.get(owner);
  if (text === undefined) {
    text = moduleText(owner.around.scan, owner.instance.source.path)?.text ?? "";
    texts.set(owner, text);
  }
  for (const part of wanted) {
    const at = text.indexOf(part);
    if (at >= 0) return linesBefore(text, at) + 1;
  }
  return 1;
}

function linesBefore(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
