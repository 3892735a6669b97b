import { omp, pi } from "@hookline/runtime/dialects";
import type { Claim } from "./claim.ts";
import { findingOf, type Tally } from "./processes/experiment.ts";
import { type Handler, openStaged, type Placed } from "./stage/functions.ts";

const KINDS = ["block", "allow", "throw", "edit", "success"] as const;
type Kind = (typeof KINDS)[number];
const HOOKS = 4;

const BEFORE: Readonly<Record<Kind, Handler>> = {
  block: () => ({ block: true, reason: "no" }),
  allow: () => ({ block: false }),
  throw: () => {
    throw new Error("broken");
  },
  edit: (event) => {
    event.input.command += "!";
  },
  success: () => undefined,
};

/** A hook of a kind; its module is its own, so that a failure costs nobody else. */
function hooksOf(kind: Kind, lane: string, path: string): Placed[] {
  const before = { lane, event: "tool_call", run: BEFORE[kind], path };
  return kind === "success"
    ? [before, { lane, event: "tool_result", run: () => ({ isError: false }), path }]
    : [before];
}

/** R23: a tool runs if and only if nobody blocked and no guard failed; a denial never becomes a success. */
async function trial(
  kinds: readonly Kind[],
  inFirst: number,
  lanes: readonly [string, string],
): Promise<string | undefined> {
  const hooks = kinds.flatMap((kind, i) => hooksOf(kind, lanes[i < inFirst ? 0 : 1], `/hook-${i}`));
  await using stage = await openStaged([pi, omp], hooks, { runtime: { lanes } });
  let ran: unknown;
  const call = { tool: "bash", toolCallId: "1", args: { command: "ls" } };
  const result = await stage.session.wrap(call, (args) => {
    ran = args["command"];
    return "done";
  });
  const refused = kinds.some((kind) => kind === "block" || kind === "throw");
  const edited = `ls${"!".repeat(kinds.filter((kind) => kind === "edit").length)}`;
  const what = `${lanes.join(", ")}: ${kinds.join(" ")} (${inFirst} in the first)`;
  if (ran !== (refused ? undefined : edited)) return `${what}: the tool ran with ${ran}`;
  return result.blocked === refused && result.isError === refused ? undefined : `${what}: a denial became a success`;
}

const ORDERS: readonly (readonly [string, string])[] = [
  ["omp", "pi"],
  ["pi", "omp"],
  ["omp-hooks", "pi"],
];

async function allOrders(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  for (const lanes of full ? ORDERS : ORDERS.slice(0, 1)) {
    for (const inFirst of full ? [0, 1, 2, 3, 4] : [2]) {
      for (let n = 0; n < KINDS.length ** HOOKS; n++) {
        const kinds = Array.from({ length: HOOKS }, (_, i) => KINDS[Math.floor(n / KINDS.length ** i) % KINDS.length]);
        tally.trial(await trial(kinds as Kind[], inFirst, lanes));
      }
    }
  }
  tally.figure(`all ${KINDS.length ** HOOKS} orders of ${HOOKS} hooks and ${KINDS.length} answers, over two dialects`);
}

export const claim: Claim = {
  name: "sticky",
  says: "a tool runs if and only if no hook blocked and no guard failed, in every order of four hooks (R23)",
  run: (size) => findingOf([{ id: "R23", paths: [], run: allOrders }], size),
};
