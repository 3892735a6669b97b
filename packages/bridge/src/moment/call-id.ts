import { createHash } from "node:crypto";
import type { Fields } from "@hookline/ground";
import type { HostHooks } from "../host/host.ts";

/**
 * Returns the id of a call in a host without ids, made from the call's name and arguments, which are the same before
 * and after it.
 */
export function idOf({ memory }: Pick<HostHooks, "memory">, tool: string, args: Fields): string {
  const own = hashOf(tool, args);
  return (memory.get(`call ${own}`) as string | undefined) ?? own;
}

/** Keeps the id of a call whose arguments hooks have rewritten: after the call, the host reports the new ones. */
export function keepId({ memory }: Pick<HostHooks, "memory">, id: string, tool: string, args: Fields): void {
  memory.set(`call ${hashOf(tool, args)}`, id);
}

function hashOf(tool: string, args: Fields): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, args]))
    .digest("hex")
    .slice(0, 16);
}
