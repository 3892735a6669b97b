import type { HostHooks } from "../host.ts";
import type { Fields } from "../payload.ts";

/** A call with the host's own names, and the arguments that hooks have made of it. */
export interface Rewritten {
  readonly host: string;
  readonly tool: string;
  readonly args: Fields;
  readonly wanted: Fields;
}

/**
 * What a host that cannot change a call does about one that hooks have rewritten: it refuses the call, and tells the model
 * the arguments to call the tool with. Nothing for a call that the model makes with just these arguments.
 */
export function refusedRewrite({ memory }: HostHooks, { host, tool, args, wanted }: Rewritten): string | undefined {
  const known = (memory.get(WANTED) as Set<string> | undefined) ?? new Set<string>();
  memory.set(WANTED, known);
  // A hook that changes every call would otherwise never be content.
  if (known.delete(JSON.stringify([tool, args]))) return undefined;
  known.add(JSON.stringify([tool, wanted]));
  return `A hook changed the arguments of this call, and ${host} cannot change a call, so it did not run. Call ${tool} again with exactly these arguments: ${JSON.stringify(wanted)}`;
}

const WANTED = "wanted by hooks";
