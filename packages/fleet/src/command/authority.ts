import { resolve } from "node:path";
import { Authority } from "../identity/authority.ts";
import { ROLES, type Role } from "../sign/creds.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say, wanted, word } from "./io.ts";

/** `fleet init DIR --name F`: makes the keys of a fleet, and the configuration of its servers. */
export async function initFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const folder = resolve(io.cwd, word(args, 0, "DIR, the folder for the fleet's keys,"));
  const { fleet } = await Authority.create(folder, wanted(args, "name", "give the fleet a name"));
  say(args, io, { fleet, folder }, [
    `${folder} has the keys of the fleet ${fleet}. Whoever has them controls the fleet: keep the folder off the servers.`,
    `Start a server with: nats-server -c ${folder}/server.conf`,
    `Enroll a machine with: hookline fleet enroll NAME --role agent --dir ${folder} >NAME.creds`,
  ]);
  return 0;
}

/** `fleet enroll NAME --role R`: prints the creds file of one machine. */
export async function enrollMachine(args: FleetArgs, io: FleetIo): Promise<number> {
  const machine = word(args, 0, "NAME, the machine's name,");
  const creds = await authorityOf(args, io).enroll(machine, roleOf(wanted(args, "role", `one of ${ROLES.join(", ")}`)));
  if (args.flags["json"] === true) say(args, io, { machine, creds }, []);
  else io.out(creds);
  return 0;
}

/** `fleet revoke NAME`: revokes a machine's creds. */
export async function revokeMachine(args: FleetArgs, io: FleetIo): Promise<number> {
  const machine = word(args, 0, "NAME, the machine's name,");
  const authority = authorityOf(args, io);
  const { rootThatNames } = await import("./root.ts");
  const root = rootThatNames(authority, machine);
  await authority.revoke(machine);
  const { folder } = authority;
  say(args, io, { machine, folder, ...(root !== undefined && { root }) }, [
    `${machine} is revoked. It may connect until the servers have read ${folder}/trust.conf again:`,
    `nats-server --signal reload=${folder}/nats.pid`,
    ...(root === undefined
      ? []
      : [
          `Root ${root} still names its key. Name the approvers of a new root: hookline fleet root approvers ${folder} NAME…`,
        ]),
  ]);
  return 0;
}

function authorityOf(args: FleetArgs, io: FleetIo): Authority {
  const given = args.flags["dir"];
  return Authority.open(resolve(io.cwd, typeof given === "string" ? given : "."));
}

function roleOf(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new FleetUsage(`--role has no "${text}": choose from ${ROLES.join(", ")}`);
  return role;
}
