import type { BenchCase } from "../case.ts";
import { steady, subjects, TURNS } from "./agent.ts";

/**
 * Returns the source of an extension that listens to the five events of a turn and answers nothing. The number makes
 * each file different.
 */
const silent = (i: number): string => `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function silent${i}(pi: ExtensionAPI) {
  const listen = async (): Promise<void> => {};
  pi.on("tool_call", listen);
  pi.on("tool_result", listen);
  pi.on("turn_start", listen);
  pi.on("context", listen);
  pi.on("message_update", listen);
}
`;

/** Measures turns with this many extensions, which both agents load from their usual places. */
function withExtensions(count: number): BenchCase {
  return {
    name: `turn-silent-${count}`,
    unit: "end of a reply to the next request",
    budget: {},
    n: 1,
    rounds: 9,
    open: () => subjects({ hooks: count, extension: silent }, TURNS, steady, { toPi: 0.75 }),
  };
}

export const cases: readonly BenchCase[] = [withExtensions(10), withExtensions(50)];
