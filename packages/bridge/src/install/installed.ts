import { messageOf } from "@hookline/ground";
import { realOf } from "../client/place.ts";
import type { At, Entry, Found, HostAdapter, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { contentsOf } from "./change.ts";

/** The agents that there are, by name. */
type Hosts = Readonly<Record<string, () => Promise<BridgeHost>>>;

/** A file of a host in which something stands. */
export interface InstalledFile extends Found {
  readonly scope: Scope;
  readonly path: string;
  /** Whether it has this entry unchanged. */
  has(entry: Entry): boolean;
}

/** The entries in a host's files. */
export interface Installed {
  readonly files: readonly InstalledFile[];
  /** Files that cannot be read, and why. */
  readonly problems: readonly string[];
}

/** An event of a host that asks hookline from more than one place. */
export interface Doubled {
  readonly event: string;
  readonly paths: readonly string[];
  /** One of them is another agent's. */
  readonly isShared: boolean;
}

interface InstalledPlace {
  readonly of: string;
  readonly scope: Scope;
  readonly path: string;
  readonly events: readonly { readonly name: string; readonly moments: readonly string[] }[];
}

/** Whether the file of this project is the person's own, as in a home folder. */
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
 * The events of a host that ask hookline more than once: for the person and in the project, or in files of another agent
 * that this one reads too. The same call is known again by its id alone, so that of such an event without ids the hooks
 * are asked each time.
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
 * Hooks of other agents' files that this one runs by itself too, and that hookline reads as well: through the bridge they
 * are asked once more.
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

/** The other agents of whose files a host reads some. */
async function othersOf({ reads = [] }: HostAdapter, hosts: Hosts) {
  const named = reads.map(async ({ host, scopes }) => ({ other: await hosts[host]?.(), scopes }));
  return (await Promise.all(named)).flatMap(({ other, scopes }) => (other === undefined ? [] : [{ other, scopes }]));
}

/** The files of a host with the events that ask hookline there. */
async function placesOf({ name, events, adapter }: BridgeHost, at: At): Promise<readonly InstalledPlace[]> {
  return installedIn(await adapter(), at).files.map(({ scope, path, entries }) => ({
    of: name,
    scope,
    path,
    events: entries.map(({ event }) => ({ name: event, moments: events[event]?.moments ?? [] })),
  }));
}
