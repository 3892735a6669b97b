import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { At, BridgeHost, Scope } from "@hookline/bridge";
import {
  clientOf,
  clientSays,
  type Doubled,
  daemonsIn,
  doubledIn,
  type FoundDaemon,
  hooksOff,
  installedIn,
  type Moved,
  movedIn,
  movedLines,
  pauseSays,
  pauseState,
  programVersion,
  runFolder,
  sharedHooks,
} from "@hookline/bridge";
import { VERSION } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, table } from "@hookline/ground/system";
import { HOSTS, hostNamed } from "@hookline/integrations/hosts";
import { dayOf, type Proof, readStats } from "@hookline/runtime/session";
import type { Arguments } from "../../start/args.ts";
import { PROOF_REMEDY, proofLine } from "../../start/lines.ts";
import { clientProblems } from "./client.ts";
import { atOf, entriesOf } from "./wanted.ts";

interface DaemonRow {
  readonly pid: number;
  readonly version: string;
  readonly cwd: string;
  /** The number of the daemon's sessions; absent if it does not answer. */
  readonly sessions?: number;
  /** The number of the daemon's sessions by host. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** The results of the guards' own test cases in these sessions, by host. */
  readonly guards?: Readonly<Record<string, Proof>>;
  /** When the daemon started, in epoch ms. */
  readonly sinceMs?: number;
}

/** A hook that failed yesterday or today. */
interface FailedHook {
  readonly source: string;
  readonly event: string;
  readonly failed: number;
  /** The number of failures that let something pass that the hook could have stopped or changed. */
  readonly failedOpen: number;
}

/** One host as `bridge status` shows it: what is installed for it, and whether that works. */
interface HostStatus {
  readonly host: string;
  readonly installed: readonly {
    readonly scope: Scope;
    readonly path: string;
    readonly entry: string;
    /** Whether hookline's entry in the host's file is what `bridge install` would write today. */
    readonly intact: boolean;
  }[];
  /** Guarded events without an entry in a file that has other hookline entries: the host does not ask about these. */
  readonly missing: readonly { readonly scope: Scope; readonly path: string; readonly event: string }[];
  readonly trusted: boolean | "unknown";
  /** Hooks in the host's files that are not hookline's. */
  readonly foreign: readonly { readonly event: string; readonly source: string }[];
  /** Events about which the host asks hookline from more than one file. */
  readonly doubled: readonly string[];
  /** Events about which the host asks hookline twice, each with the files that cause it. */
  readonly doubledIn: readonly Doubled[];
  /** The daemons that have sessions of this host. */
  readonly daemons: readonly DaemonRow[];
  /** The results of the guards' own test cases, each with the working folder of the daemon that ran them. */
  readonly guards: readonly (Proof & { readonly cwd: string })[];
  /** Hooks that failed in this host yesterday or today. */
  readonly failed: readonly FailedHook[];
  /** The version of the host's program on the person's PATH; absent if no file of the program shows it. */
  readonly version?: string;
  /** The host's newest version that hookline was compared with; absent if only its documentation is known. */
  readonly recorded?: string;
  /** The versions of the host that `bridge report` was tested with, each with the models used in the tests. */
  readonly held: Readonly<Record<string, readonly string[]>>;
  /** Names of events, fields, tools and arguments that are new to hookline; one item for each version of the host. */
  readonly moved: readonly Moved[];
  /** Problems: unreadable files, settings that make the host skip the entries, or a client that does not work. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** `hookline bridge status [HOST]`: which versions run, what is installed where, and whether it works. */
export async function bridgeStatus(args: Arguments, io: Io): Promise<number> {
  const [name] = args.words;
  const hosts =
    name === undefined ? await Promise.all(Object.values(HOSTS).map((load) => load())) : [await hostNamed(name)];
  const at = atOf(io);
  const daemons = (await daemonsIn(runFolder(at.hooklineHome, io.env))).map(rowOf);
  const clients = await clientProblems(hosts, at);
  const all = await Promise.all(hosts.map((host) => statusOf(host, at, { daemons, client: clients.get(host.name) })));
  const client = clientOf(at.hooklineHome);
  const pause = pauseState(at.hooklineHome);
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, version: VERSION, client, pause, daemons, hosts: all }));
  else {
    io.out(
      pauseSays(pause)
        .map((line) => `guards: ${line}\n`)
        .join(""),
    );
    if (client !== undefined) io.out(`client: ${clientSays(client)}\n`);
    io.out(daemonsText(daemons));
    io.out(hostsText(hosts, all));
    io.out(all.map((status, index) => detailsText(hosts[index] as BridgeHost, status)).join(""));
  }
  const isBroken = ({ problems, guards }: HostStatus): boolean =>
    problems.length > 0 || guards.some(({ dead }) => dead.length > 0);
  return all.some(isBroken) ? EXIT.failed : EXIT.fine;
}

function rowOf({ pid, version, cwd, status }: FoundDaemon): DaemonRow {
  if (status === undefined) return { pid, version, cwd };
  const { sessions, hosts, guards, sinceMs } = status;
  return {
    ...{ pid, version, cwd, sessions, sinceMs },
    ...(hosts !== undefined && { hosts }),
    ...(guards !== undefined && { guards }),
  };
}

async function heldOf(host: BridgeHost): Promise<HostStatus["held"]> {
  const { held = {} } = (await host.names?.()) ?? {};
  return Object.fromEntries(Object.entries(held).map(([version, models]) => [version, models.split(" ")]));
}

async function statusOf(
  host: BridgeHost,
  at: At,
  {
    daemons,
    client,
  }: {
    readonly daemons: readonly DaemonRow[];
    readonly client: { readonly problem: string; readonly remedy: string } | undefined;
  },
): Promise<HostStatus> {
  const adapter = await host.adapter();
  const { files, problems } = installedIn(adapter, at);
  const own = files.filter(({ entries }) => entries.length > 0);
  const installed = own.flatMap(({ scope, path, entries, has }) => {
    const wanted = entriesOf({ host, adapter, scope, at }, false);
    return entries.map((entry) => ({
      scope,
      path,
      entry: entry.event,
      intact: wanted.some((one) => isDeepStrictEqual(one, entry)) && has(entry),
    }));
  });
  const missing = own.flatMap(({ scope, path, entries }) =>
    entriesOf({ host, adapter, scope, at }, true)
      .filter(({ event }) => !entries.some((entry) => entry.event === event))
      .map(({ event }) => ({ scope, path, event })),
  );
  const trusts = await Promise.all(own.map(async ({ path }) => adapter.trust.given?.(path, at) ?? true));
  const also = own.flatMap(({ scope }) => adapter.also?.(scope, at) ?? []);
  const doubled = await doubledIn(host, at, HOSTS);
  const version = programVersion(host.name, at);
  return {
    host: host.name,
    installed,
    missing,
    trusted: trusts.includes("unknown") ? "unknown" : trusts.every((given) => given === true),
    foreign: files.flatMap(({ path, foreign }) => foreign.map((event) => ({ event, source: path }))),
    doubled: doubled.map(({ event }) => event),
    doubledIn: doubled,
    daemons: daemons.flatMap(({ hosts = {}, guards: _, ...daemon }) => {
      const sessions = hosts[host.name] ?? 0;
      return sessions === 0 ? [] : [{ ...daemon, sessions }];
    }),
    guards: daemons.flatMap(({ cwd, guards = {} }) => {
      const proof = guards[host.name];
      return proof === undefined ? [] : [{ cwd, ...proof }];
    }),
    failed: failedIn(host, at),
    ...(version !== undefined && { version }),
    ...(host.recorded !== undefined && { recorded: host.recorded }),
    held: await heldOf(host),
    moved: await movedIn(host, at.hooklineHome),
    problems: [
      ...(client === undefined ? [] : [`${client.problem}. ${client.remedy}`]),
      ...problems,
      ...hooksOff(host.label, adapter, at, files),
      ...also,
    ],
    notes: [
      ...own.flatMap(({ scope }) => adapter.notes?.(scope, at) ?? []),
      ...(own.length === 0 ? [] : await sharedHooks(host, at, HOSTS)),
    ],
  };
}

const DAY_MS = 86_400_000;

/** Lists the hooks that failed in a host since yesterday; the last 5 s may be missing, as counters are stored late. */
function failedIn({ name }: BridgeHost, { hooklineHome }: At): FailedHook[] {
  const since = dayOf(Date.now() - DAY_MS);
  return readStats(join(hooklineHome, "stats"), { host: name, since }).flatMap(
    ({ source, event, failed, failedOpen }) => (failed === 0 ? [] : [{ source, event, failed, failedOpen }]),
  );
}

/** Lists the daemons with the version that each runs: a daemon keeps its version until it ends. */
function daemonsText(daemons: readonly DaemonRow[]): string {
  if (daemons.length === 0) return `hookline ${VERSION} is installed; no daemon runs.\n\n`;
  const lines = daemons.map(({ pid, version, cwd, sessions }) => {
    const versions = version === VERSION ? `${version} runs` : `${version} runs, ${VERSION} installed`;
    const state =
      sessions === undefined
        ? "it does not answer; `hookline bridge stop --all` ends it"
        : `${sessions} ${sessions === 1 ? "session" : "sessions"}`;
    return `${plain(cwd)}: process ${pid}, ${plain(versions)}, ${state}\n`;
  });
  const isOld = daemons.some(({ version }) => version !== VERSION);
  const remedy = isOld
    ? `Sessions continue with the version they started with. \`hookline bridge restart --all\` starts ${VERSION}.\n`
    : "";
  return `${lines.join("")}${remedy}\n`;
}

function hostsText(hosts: readonly BridgeHost[], all: readonly HostStatus[]): string {
  const rows = all.map(({ installed, missing, trusted, doubled, daemons }, index) => {
    const count = (scope: Scope): string => String(installed.filter((one) => one.scope === scope).length || "–");
    const isIntact = missing.length === 0 && installed.every(({ intact }) => intact);
    const isThere = installed.length > 0;
    return [
      hosts[index]?.label ?? "",
      count("user"),
      count("project"),
      isThere ? (isIntact ? "yes" : "no") : "",
      isThere ? (trusted === "unknown" ? "not known" : trusted ? "yes" : "no") : "",
      doubled.length === 0 ? "" : String(doubled.length),
      daemons.length === 0 ? "" : String(daemons.reduce((sum, { sessions = 0 }) => sum + sessions, 0)),
    ];
  });
  return table([["agent", "your entries", "the project's", "as installed", "trusted", "twice", "sessions"], ...rows]);
}

/** Describes one agent for the person: what is installed, what does not work, and how to repair it. */
function detailsText({ label, name }: BridgeHost, status: HostStatus): string {
  const { installed, missing, trusted, foreign, doubledIn, guards, failed, version, recorded, held, moved } = status;
  const { problems, notes } = status;
  const lines: string[] = [];
  if (installed.length > 0) {
    const untried = version === undefined || Object.hasOwn(held, version) ? "" : ", which was not tried";
    const tried = recorded === undefined ? "known from its documents only" : heldText(recorded, held);
    lines.push(version === undefined ? tried : `${tried}; version ${version} is on your path${untried}`);
  }
  for (const one of moved) lines.push(...movedLines(one));
  if (installed.length > 0 && guards.length === 0)
    lines.push("no session runs that has asked the guards their cases; `hookline doctor` asks them");
  for (const { cwd, ...proof } of guards) {
    const line = proofLine(proof);
    // A daemon's sessions keep the guards that they started with, so a repair needs a restart.
    const remedy = proof.dead.length > 0 ? ` ${PROOF_REMEDY} Then \`hookline bridge restart\` there.` : "";
    if (line !== undefined) lines.push(`in ${cwd}: ${line}${remedy}`);
  }
  for (const { source, event, failed: times, failedOpen } of failed) {
    const passed = failedOpen === 0 ? "" : `, and ${failedOpen} ${failedOpen === 1 ? "call" : "calls"} went on`;
    lines.push(`${source} (${event}) failed ${times === 1 ? "once" : `${times} times`} since yesterday${passed}`);
  }
  for (const path of new Set(installed.map((one) => one.path))) {
    const changed = installed.filter((one) => one.path === path && !one.intact).map(({ entry }) => entry);
    const lacking = missing.filter((one) => one.path === path).map(({ event }) => event);
    const { scope } = installed.find((one) => one.path === path) ?? {};
    const mends = `\`hookline bridge install ${name}${scope === "project" ? " --scope project" : ""}\` repairs this`;
    if (changed.length > 0) lines.push(`changed since installation in ${path}: ${changed.join(", ")}; ${mends}`);
    if (lacking.length > 0) lines.push(`${path} has no entries for these guards: ${lacking.join(", ")}; ${mends}`);
  }
  if (installed.length > 0 && trusted === false)
    lines.push(`${label} skips entries that it does not trust or that are switched off there`);
  const others = [...new Set(foreign.map(({ event }) => event))];
  if (others.length > 0) lines.push(`other hooks of ${label}: ${others.join(", ")}`);
  lines.push(...doubledLines(doubledIn));
  return [...lines, ...problems, ...notes].map((line) => `${label}: ${plain(line)}\n`).join("");
}

/** Says with which versions of a host, and with which models, hookline was tested. */
function heldText(recorded: string, held: HostStatus["held"]): string {
  const versions = Object.keys(held);
  if (versions.length === 0) return `held against version ${recorded}`;
  const models = new Set(Object.values(held).flat());
  return `held against ${versions.length === 1 ? "version" : "versions"} ${versions.join(" and ")} with ${models.size} models (${[...models].join(", ")})`;
}

/** Lists the events about which a host asks hookline twice, with the files that cause it. */
export function doubledLines(doubled: readonly Doubled[]): string[] {
  const byPaths = Map.groupBy(doubled, ({ paths }) => paths.join(" and "));
  return [...byPaths].map(([paths, of]) => {
    const events = of.map(({ event }) => event).join(", ");
    const asked = of.some(({ isShared }) => isShared)
      ? "An entry of another agent stays silent if this agent has its own"
      : "Hooks are asked once about a tool call with an id, and twice about everything else";
    return `installed twice: ${events}, by ${paths}. ${asked}; remove one of them`;
  });
}
