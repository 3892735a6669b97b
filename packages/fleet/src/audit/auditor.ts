import { systemClock } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import { connected, PATIENCE_MS } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import { type Access, access } from "../place/joined.ts";
import { type Collection, collectDecisions, type Wanted } from "./collect.ts";

/**
 * Returns this machine's access to its fleet as an auditor. Throws if it belongs to no fleet, or has another role
 * there.
 */
export function auditorOf(hooklineHome: string, env: Readonly<Record<string, string | undefined>>): Access {
  const found = access(hooklineHome, env);
  if (found === undefined)
    throw new Error("this machine belongs to no fleet; set HOOKLINE_FLEET_URL and HOOKLINE_FLEET_CREDS (an auditor's)");
  const { machine, role } = found.creds;
  if (role === "auditor") return found;
  throw new Error(
    `${machine} is enrolled as ${role}, and only an auditor may read decisions; \`hookline fleet enroll NAME --role auditor\` makes the creds`,
  );
}

/** Reads a fleet's decisions with an auditor's creds, as `collectDecisions` does. Rejects if the server cannot be reached. */
export async function readDecisions({ url, creds }: Access, wanted: Wanted = {}): Promise<Collection> {
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    return await collectDecisions(await busOf(await connected(link, url, wanted.signal)), creds, wanted);
  } finally {
    link.close();
  }
}
