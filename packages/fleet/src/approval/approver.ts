import { systemClock } from "../kit.ts";
import { PATIENCE_MS } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import type { Access } from "../place/joined.ts";
import type { Creds } from "../sign/creds.ts";
import { Desk } from "./desk.ts";

/** Returns why the holder of these creds may not answer for the fleet; `undefined` if they may. */
export function approverProblem({ machine, role }: Pick<Creds, "machine" | "role">): string | undefined {
  if (role === "approver") return undefined;
  return `${machine} is enrolled as ${role}; only an approver may answer for the fleet`;
}

/**
 * Connects an approver to the fleet: the desk receives questions and sends answers over the link. Throws if the machine
 * may not answer.
 */
export function openDesk({ creds, url }: Pick<Access, "creds" | "url">): {
  readonly desk: Desk;
  readonly link: Link;
} {
  const problem = approverProblem(creds);
  if (problem !== undefined) throw new Error(problem);
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  const desk = new Desk(link, creds);
  link.begin();
  return { desk, link };
}
