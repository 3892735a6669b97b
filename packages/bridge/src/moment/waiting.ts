import type { HostHooks } from "../host/host.ts";

/** Keeps texts for the model until an event that can carry them, behind those that wait under this name already. */
export function keep({ memory }: HostHooks, name: string, texts: readonly string[]): void {
  memory.set(name, [...textsIn(memory, name), ...texts]);
}

/** The texts that wait under a name; given once. */
export function taken({ memory }: HostHooks, name: string): readonly string[] {
  const texts = textsIn(memory, name);
  memory.delete(name);
  return texts;
}

function textsIn(memory: HostHooks["memory"], name: string): readonly string[] {
  return (memory.get(name) as readonly string[] | undefined) ?? [];
}
