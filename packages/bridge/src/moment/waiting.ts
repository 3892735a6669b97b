import type { HostHooks } from "../host/host.ts";

/** Stores texts for the model under a name, until an event that can deliver them takes them. */
export function keep({ memory }: HostHooks, name: string, texts: readonly string[]): void {
  memory.set(name, [...textsIn(memory, name), ...texts]);
}

/** Returns and removes the texts that are stored under a name. */
export function taken({ memory }: HostHooks, name: string): readonly string[] {
  const texts = textsIn(memory, name);
  memory.delete(name);
  return texts;
}

function textsIn(memory: HostHooks["memory"], name: string): readonly string[] {
  return (memory.get(name) as readonly string[] | undefined) ?? [];
}
