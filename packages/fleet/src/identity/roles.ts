import { type Names, namesOf, PING } from "../name/subjects.ts";
import type { Role } from "../sign/creds.ts";

/** Subjects that a role may publish to and subscribe to. Everything else is refused by the server. */
export interface Rights {
  readonly pub: readonly string[];
  readonly sub: readonly string[];
}

/** Placeholder for a machine's name, which the server replaces by the name in the user's token. */
export const MACHINE = "{{name()}}";

/** Returns the subject of JetStream's "direct get": a request for the last message of `subject`. */
function direct(stream: string, subject: string): string {
  return `$JS.API.DIRECT.GET.${stream}.${subject}`;
}

/** Returns the rights to read the presence of all machines, with a request for each. */
function watchers({ buckets: { presence } }: Names): readonly string[] {
  return [direct(`KV_${presence}`, `$KV.${presence}.>`), `$JS.API.DIRECT.GET.KV_${presence}`];
}

/** Returns the rights of a role in a fleet, for a machine with this name. */
export function rightsOf(role: Role, fleet: string, machine = MACHINE): Rights {
  const names = namesOf(fleet);
  const inbox = `${names.inbox(machine)}.>`;
  const { pub, sub } = RIGHTS[role](names, machine);
  return { pub, sub: [inbox, ...sub] };
}

/**
 * Returns the rights of agents and workers to read a policy and to be notified of new versions. They get no right to
 * watch its buckets, for which the server would need a consumer for each machine.
 */
function followers({ buckets, policy }: Names): Rights {
  const read = [buckets.policy, buckets.blobs].map((bucket) => direct(`KV_${bucket}`, `$KV.${bucket}.>`));
  return { pub: read, sub: [policy("*")] };
}

/** Returns the rights of a machine to send its decisions and its presence. */
function keepers({ buckets, decisions, stream }: Names, machine: string): readonly string[] {
  const own = decisions(machine, "*");
  return [own, direct(stream, own), `$KV.${buckets.presence}.${machine}`];
}

const RIGHTS: Readonly<Record<Role, (names: Names, machine: string) => Rights>> = {
  agent: (names, machine) => ({
    pub: [names.ask("*", "*"), names.approval(machine, "*"), ...keepers(names, machine), ...followers(names).pub],
    sub: [names.approved(machine, "*"), ...followers(names).sub],
  }),
  worker: (names, machine) => ({
    pub: [`${names.inbox("*")}.>`, ...keepers(names, machine), ...followers(names).pub],
    // The subject names no queue, because NATS 2.9.10 drops a subject with a queue from the permissions of a role. So a
    // worker may also listen outside its queue.
    sub: [names.ask("*", "*"), ...followers(names).sub],
  }),
  publisher: (names) => {
    const { policy, blobs } = names.buckets;
    const write = [policy, blobs].map((bucket) => `$KV.${bucket}.>`);
    return {
      pub: [...write, names.policy("*"), names.ask("*", PING), ...watchers(names), ...followers(names).pub],
      sub: [],
    };
  },
  auditor: (names) => {
    const { stream } = names;
    const read = [`$JS.API.STREAM.INFO.${stream}`, direct(stream, ">"), `$JS.API.DIRECT.GET.${stream}`];
    return { pub: [...read, ...watchers(names)], sub: [] };
  },
  approver: (names) => ({ pub: [names.approved("*", "*")], sub: [names.approval("*", "*")] }),
};
