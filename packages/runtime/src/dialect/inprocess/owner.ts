import type { Instance } from "../../hook/instance.ts";
import type { Surroundings } from "../dialect.ts";

/** One loaded module as its API object knows it. */
export interface Owner {
  readonly around: Surroundings;
  readonly instance: Instance;
  /** What the module calls its API object, for reports. */
  readonly name: string;
  /** False while the module's factory runs; until then actions are refused. Set by `loadFactory`. */
  bound: boolean;
}

const texts = new WeakMap<Owner, string>();

/** The 1-based line of the module's file that first holds one of the wanted texts; 1 where none does. */
export function lineOf(owner: Owner, ...wanted: readonly string[]): number {
  let text = texts.get(owner);
  if (text === undefined) {
    text = new TextDecoder().decode(owner.around.scan.files.read(owner.instance.source.path) ?? new Uint8Array());
    texts.set(owner, text);
  }
  const at = wanted.map((part) => (text as string).indexOf(part)).find((index) => index >= 0);
  return at === undefined ? 1 : text.slice(0, at).split("\n").length;
}
