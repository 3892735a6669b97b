import type { NatsConnection } from "@nats-io/transport-node";
import { openDesk } from "../approval/approver.ts";
import { type Desk, type Outcome, PATIENCE_MS } from "../approval/desk.ts";
import type { Approval } from "../approval/message.ts";
import { approvedText } from "../approval/quorum.ts";
import { cleanText, systemClock } from "../kit.ts";
import { connected } from "../link/connected.ts";
import { access } from "../place/joined.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say, word } from "./io.ts";

/** How long the command listens, in ms: machines repeat a question each second, so it then knows all open ones. */
const LISTEN_MS = 2500;

/** `fleet approvals [list | approve ID | deny ID --reason TEXT]`: lists or answers the fleet's questions. */
export async function fleetApprovals(args: FleetArgs, io: FleetIo): Promise<number> {
  const action = args.words[0] ?? "list";
  if (!["list", "approve", "deny"].includes(action))
    throw new FleetUsage(`there is no \`fleet approvals ${action}\`: choose list, approve or deny`);
  const id = action === "list" ? undefined : word(args, 1, "ID, which `hookline fleet approvals` lists,");
  const found = access(io.hooklineHome, io.env);
  if (found === undefined)
    throw new Error(
      "this machine belongs to no fleet; set HOOKLINE_FLEET_URL and HOOKLINE_FLEET_CREDS (an approver's)",
    );
  const { desk, link } = openDesk(found);
  try {
    const connection = await connected(link, found.url);
    if (id === undefined) return await list(desk, connection, args, io);
    return await answer(desk, { id, isAllowed: action === "approve" }, args, io);
  } finally {
    link.close();
  }
}

async function list(desk: Desk, connection: NatsConnection, args: FleetArgs, io: FleetIo): Promise<number> {
  await new Promise<void>((resolve) => systemClock.timer(LISTEN_MS, resolve).hold(true));
  // Waits until all messages that have arrived are handled, which takes time if this process is busy. The wait has a
  // limit, since the server may be away.
  const over = new Promise<void>((resolve) => void systemClock.timer(LISTEN_MS, resolve));
  await Promise.race([connection.flush().catch(() => undefined), over]);
  const approvals = desk.open();
  say(
    args,
    io,
    { approvals },
    approvals.length === 0 ? ["no question is waiting for approval"] : approvals.flatMap(lines),
  );
  return 0;
}

async function answer(
  desk: Desk,
  { id, isAllowed }: { readonly id: string; readonly isAllowed: boolean },
  args: FleetArgs,
  io: FleetIo,
): Promise<number> {
  const asked = await desk.wait(id, () => true, PATIENCE_MS);
  if (asked === undefined) throw new Error(`there is no open question ${id}; \`hookline fleet approvals\` lists them`);
  const { reason } = args.flags;
  const given = isAllowed ? "allow" : "deny";
  const outcome = await desk.answer(id, { answer: given, ...(typeof reason === "string" && { reason }) });
  const { machine, tool, call } = asked;
  const settled = "settled" in outcome ? outcome.settled : null;
  const approvals = "approvals" in outcome ? { approvals: outcome.approvals } : {};
  const taken = outcome.state === "taken" || outcome.state === "counted";
  say(args, io, { id, machine, tool, call, answer: given, taken, settled, ...approvals }, [
    ...lines(asked),
    inWords(outcome, machine, given),
  ]);
  return taken ? 0 : 1;
}

function inWords(outcome: Outcome, machine: string, given: "allow" | "deny"): string {
  switch (outcome.state) {
    case "taken":
      return `${machine} has the answer: ${given === "allow" ? "approved" : "denied"}`;
    case "counted":
      return `${machine} has the answer: ${approvedText(outcome.approvals)}`;
    case "other":
      return `it was already settled: ${outcome.settled.answer ?? "no answer from the fleet"}, by ${outcome.settled.by}`;
    case "expired":
      return "the question has expired, so nothing was sent";
    case "away":
      return `nothing was sent: ${outcome.problem}`;
    default:
      return `${machine} has not confirmed the answer`;
  }
}

/** Formats a question for a person, with control characters made visible: a machine may send any text. */
function lines({ id, machine, tool, args, reason, hooks = [], call, expires, approvals }: Approval): string[] {
  const left = Math.max(0, Math.round((expires - Date.now()) / 1000));
  const clean = (text: string): string => cleanText(text, { controls: "show" });
  return [
    `${id}  ${machine}  ${clean(tool)}  ${left} s left  call ${call.slice(0, 16)}`,
    ...hooks.map((hook) => `  ${clean(hook)}`),
    ...(reason === undefined ? [] : [`  ${clean(reason)}`]),
    `  ${clean(JSON.stringify(args))}`,
    ...(approvals === undefined ? [] : [`  ${approvedText(approvals)}`]),
  ];
}
