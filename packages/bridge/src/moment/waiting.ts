import type { HostHooks } from "../host/host.ts";

/** Keeps texts for the model until an event that can deliver them, after those already kept under this name. */
export function keep({ memory }: HostHooks, name: string, texts: readonly string[]): void {
  memory.set(name, [...textsIn(memory, name), ...texts]);
}

/** Returns and removes the texts that are kept under a name. */
export function taken({ memory }: HostHooks, name: string): readonly string[] {
  const texts = textsIn(memory, name);
  memory.delete(name);
  return texts;
}

function textsIn(memory: HostHooks["memory"], name: string): readonly string[] {
  return (memory.get(name) as readonly string[] | undefined) ?? [];
}
