import { messageOf } from "@hookline/ground";
import { realOf } from "../client/place.ts";
import type { At, Entry, Found, HostAdapter, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { contentsOf } from "./change.ts";

type Hosts = Readonly<Record<string, () => Promise<BridgeHost>>>;

/** A host's file that has hook entries. */
export interface InstalledFile extends Found {
  readonly scope: Scope;
  readonly path: string;
  /** Whether the file has this entry unchanged. */
  has(entry: Entry): boolean;
}

/** The hook entries in a host's files. */
export interface Installed {
  readonly files: readonly InstalledFile[];
  /** Messages about files that cannot be read. */
  readonly problems: readonly string[];
}

/** An event for which a host asks hookline from more than one file. */
export interface Doubled {
  readonly event: string;
  readonly paths: readonly string[];
  /** Whether one of the files belongs to another agent, whose hook entries this host runs too. */
  readonly isShared: boolean;
}

interface InstalledPlace {
  readonly of: string;
  readonly scope: Scope;
  readonly path: string;
  readonly events: readonly { readonly name: string; readonly moments: readonly string[] }[];
}

/** Whether the project's file and the person's are the same file, as in a home folder. */
export function isOneFile({ path }: Pick<HostAdapter, "path">, at: At): boolean {
  return realOf(path("user", at)) === realOf(path("project", at));
}

/** Reads the entries in a host's own files. */
export function installedIn(adapter: HostAdapter, at: At): Installed {
  const problems: string[] = [];
  const scopes = isOneFile(adapter, at) ? (["user"] as const) : (["user", "project"] as const);
  const files = scopes.flatMap((scope): InstalledFile[] => {
    const path = adapter.path(scope, at);
    try {
      const text = contentsOf(path);
      const format = adapter.format(scope, at);
      return text === undefined ? [] : [{ scope, path, ...format.find(text), has: (entry) => format.has(text, entry) }];
    } catch (thrown) {
      problems.push(messageOf(thrown));
      return [];
    }
  });
  return { files, problems };
}

/**
 * Returns the events for which a host asks hookline through more than one file. They are the person's and the
 * project's, or those of another agent that it reads too. Two calls are recognised as the same only by a call id; for
 * an event without one, the hooks are asked each time.
 */
export async function doubledIn(host: BridgeHost, at: At, hosts: Hosts): Promise<readonly Doubled[]> {
  const adapter = await host.adapter();
  const others = await othersOf(adapter, hosts);
  const places = await Promise.all([
    placesOf(host, at),
    ...others.map(async ({ other, scopes }) =>
      (await placesOf(other, at)).filter(({ scope }) => scopes.includes(scope)),
    ),
  ]);
  return Object.entries(host.events).flatMap(([event, { moments }]) => {
    const asks = ({ moments: theirs }: InstalledPlace["events"][number]): boolean =>
      theirs.some((moment) => moments.some((own) => own === moment));
    const found = places.flat().filter(({ events }) => events.some((of) => of.name === event || asks(of)));
    const paths = [...new Set(found.map(({ path }) => path))];
    return paths.length > 1 ? [{ event, paths, isShared: found.some(({ of }) => of !== host.name) }] : [];
  });
}

/**
 * Describes hooks in other agents' files that this host itself may also run. The bridge runs hooks of these files too,
 * so they may run twice.
 */
export async function sharedHooks({ label, adapter }: BridgeHost, at: At, hosts: Hosts): Promise<readonly string[]> {
  const others = await othersOf(await adapter(), hosts);
  const files = await Promise.all(
    others
      .filter(({ other }) => other.dialect !== undefined)
      .map(async ({ other, scopes }) =>
        installedIn(await other.adapter(), at).files.filter(
          ({ scope, foreign }) => scopes.includes(scope) && foreign.length > 0,
        ),
      ),
  );
  return files
    .flat()
    .map(({ path }) => `${label} may also run the hooks of ${path} itself; the bridge asks them once more`);
}

/** Loads the agents whose hook files this host reads too; `scopes` says whether the person's or the project's. */
async function othersOf({ reads = [] }: HostAdapter, hosts: Hosts) {
  const named = reads.map(async ({ host, scopes }) => ({ other: await hosts[host]?.(), scopes }));
  return (await Promise.all(named)).flatMap(({ other, scopes }) => (other === undefined ? [] : [{ other, scopes }]));
}

/** Returns a host's files, each with the events for which it asks hookline. */
async function placesOf({ name, events, adapter }: BridgeHost, at: At): Promise<readonly InstalledPlace[]> {
  return installedIn(await adapter(), at).files.map(({ scope, path, entries }) => ({
    of: name,
    scope,
    path,
    events: entries.map(({ event }) => ({ name: event, moments: events[event]?.moments ?? [] })),
  }));
}
