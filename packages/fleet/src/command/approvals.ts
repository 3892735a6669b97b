import { cleanText, systemClock } from "@hookline/runtime/internal";
import { Desk } from "../approval/desk.ts";
import type { Approval } from "../approval/message.ts";
import { Link } from "../link/link.ts";
import { membership } from "../place/joined.ts";
import { connected } from "./connected.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say, word } from "./io.ts";

/** Machines repeat a question each second, so everything that is open is heard within this time, in ms. */
const LISTEN_MS = 2500;
/** How long a question that was named is waited for, and the machine's word that it has the answer, in ms. */
const PATIENCE_MS = 5000;

/** `fleet approvals [list | approve ID | deny ID --reason TEXT]`: what the fleet's hooks ask people, and the answers. */
export async function fleetApprovals(args: FleetArgs, io: FleetIo): Promise<number> {
  const action = args.words[0] ?? "list";
  if (!["list", "approve", "deny"].includes(action))
    throw new FleetUsage(`there is no \`fleet approvals ${action}\`: choose list, approve or deny`);
  const id = action === "list" ? undefined : word(args, 1, "ID, which `hookline fleet approvals` lists,");
  const found = membership(io.hooklineHome, io.env);
  if (found === undefined)
    throw new Error(
      "this machine belongs to no fleet; set HOOKLINE_FLEET_URL, HOOKLINE_FLEET_CREDS and HOOKLINE_FLEET_ROOT",
    );
  const { creds, url } = found;
  if (creds.role !== "approver")
    throw new Error(`${creds.machine} is enrolled as ${creds.role}; only an approver may answer for the fleet`);
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000 });
  try {
    const desk = new Desk(await connected(link, url), creds);
    if (id === undefined) return await list(desk, args, io);
    return await answer(desk, { id, isAllowed: action === "approve", own: creds.machine }, args, io);
  } finally {
    link.close();
  }
}

async function list(desk: Desk, args: FleetArgs, io: FleetIo): Promise<number> {
  await new Promise<void>((resolve) => systemClock.timer(LISTEN_MS, resolve).hold(true));
  const approvals = desk.open();
  say(args, io, { approvals }, approvals.length === 0 ? ["nothing waits for an approval"] : approvals.flatMap(lines));
  return 0;
}

async function answer(
  desk: Desk,
  { id, isAllowed, own }: { readonly id: string; readonly isAllowed: boolean; readonly own: string },
  args: FleetArgs,
  io: FleetIo,
): Promise<number> {
  const asked = await desk.wait(id, () => true, PATIENCE_MS);
  if (asked === undefined)
    throw new Error(`no machine asks ${id} now; \`hookline fleet approvals\` lists what is open`);
  const { reason } = args.flags;
  const given = isAllowed ? "allow" : "deny";
  if (asked.settled === undefined) await desk.answer(asked, given, typeof reason === "string" ? reason : undefined);
  const { settled } = (await desk.wait(id, (one) => one.settled !== undefined, PATIENCE_MS)) ?? {};
  const taken = settled?.by === own && settled.answer === given;
  const { machine, tool } = asked;
  const outcome =
    settled === undefined
      ? `${machine} has not said that it has the answer`
      : taken
        ? `${machine} has the answer: ${isAllowed ? "approved" : "denied"}`
        : `it was settled before: ${settled.answer ?? "no answer of the fleet"}, by ${settled.by}`;
  say(args, io, { id, machine, tool, call: asked.call, answer: given, taken, settled: settled ?? null }, [
    ...lines(asked),
    outcome,
  ]);
  return taken ? 0 : 1;
}

/** A question as a person reads it; what machines say may hold anything. */
function lines({ id, machine, tool, args, reason, call, expires }: Approval): string[] {
  const left = Math.max(0, Math.round((expires - Date.now()) / 1000));
  const clean = (text: string): string => cleanText(text, { controls: "show" });
  return [
    `${id}  ${machine}  ${clean(tool)}  ${left} s left  call ${call.slice(0, 16)}`,
    ...(reason === undefined ? [] : [`  ${clean(reason)}`]),
    `  ${clean(JSON.stringify(args))}`,
  ];
}
