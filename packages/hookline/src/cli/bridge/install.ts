import type { Need } from "@hookline/bridge";
import {
  additionTo,
  carryOut,
  clientSays,
  doubledIn,
  type FileChange,
  hooksOff,
  installedIn,
  placeLauncher,
  sharedHooks,
} from "@hookline/bridge";
import { ShownReport } from "@hookline/bridge/report";
import { messageOf } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import { HOSTS } from "@hookline/integrations/hosts";
import { thisProgram } from "../../bridge/call.ts";
import type { Arguments } from "../../start/args.ts";
import { agreed, changeText, refusalHere } from "./agree.ts";
import { printReport } from "./report.ts";
import { doubledLines } from "./status.ts";
import { entriesOf, type Wanted, wantedOf } from "./wanted.ts";

/** `hookline bridge install HOST`: shows the exact text, asks, writes it, and says what else the host requires. */
export async function installBridge(args: Arguments, io: Io): Promise<number> {
  const wanted = await wantedOf(args, io);
  const { host, adapter, scope, at, path, format } = wanted;
  const isJson = args.flags["json"] === true;
  const entries = entriesOf(wanted, args.flags["guards-only"] === true);
  const change = additionTo(path, format, entries);
  const need = adapter.needs?.(scope, at);
  if (args.flags["dry-run"] === true) {
    io.out(isJson ? jsonText(asData(wanted, change, entries, false)) : (change.after ?? ""));
    return EXIT.fine;
  }
  const refusal = refusalHere(at.hooklineHome, io);
  if (refusal !== undefined) {
    io.err(`${refusal}\n`);
    return EXIT.failed;
  }
  if (change.action !== "none" || need !== undefined) {
    if (!isJson && change.action !== "none")
      io.out(`${host.label} will ask hookline's hooks. This goes into its file:\n\n${changeText(change)}\n`);
    if (!isJson && need !== undefined) io.out(`${plain(need.text)}\n`);
    if (!(await agreed(args, io, change.action === "none" ? "Continue?" : `Write this into ${plain(path)}?`))) {
      io.err("Nothing was installed.\n");
      return EXIT.failed;
    }
  }
  const isProvided = await provided(need, io);
  // The client is installed before the host's entry, because an entry that cannot run the client refuses all events.
  const { isNative } = placeLauncher({ hooklineHome: at.hooklineHome, host, program: thisProgram(), env: io.env });
  carryOut(change, "install");
  for (const line of hooksOff(host.label, adapter, at, installedIn(adapter, at).files)) io.err(`${plain(line)}\n`);
  if (!isJson) {
    io.out(change.action === "none" ? `${host.label} has these entries already.\n` : `written: ${plain(path)}\n`);
    if (change.backup !== undefined) io.out(`as it was before: ${plain(change.backup)}\n`);
    io.out(`client: ${clientSays(isNative ? "native" : "Node")}\n`);
    for (const line of doubledLines(await doubledIn(host, at, HOSTS))) io.out(`${plain(line)}\n`);
    const told = [
      ...(adapter.also?.(scope, at) ?? []),
      ...(adapter.notes?.(scope, at) ?? []),
      ...(await sharedHooks(host, at, HOSTS)),
    ];
    for (const line of told) io.out(`${plain(line)}\n`);
  }
  const isGiven = args.flags["grant"] === true ? await grant(wanted, args, io) : undefined;
  if (isJson) io.out(jsonText({ ...asData(wanted, change, entries, isGiven === true), ...needData(need, isProvided) }));
  else {
    const how = adapter.trust.how?.(scope, at);
    if (how !== undefined && isGiven !== true) io.out(`\n${lines(how)}\n`);
    io.out("\n");
    const hooks = await printReport(host, args, io);
    new ShownReport(at.hooklineHome, host, at.cwd).keep(hooks);
  }
  return isGiven === false ? EXIT.failed : EXIT.fine;
}

/** Installs what the host needs besides hookline's entries. A failure is reported, and the installation continues. */
async function provided(need: Need | undefined, io: Io): Promise<boolean> {
  try {
    await need?.provide();
    return true;
  } catch (thrown) {
    io.err(`${plain(messageOf(thrown))}\n`);
    return false;
  }
}

function needData(need: Need | undefined, isProvided: boolean): object {
  return need === undefined ? {} : { needs: { text: need.text, provided: isProvided } };
}

/** Makes the host trust hookline's entries, if the person agrees after seeing everything that would be trusted. */
async function grant({ host, adapter, path, at }: Wanted, args: Arguments, io: Io): Promise<boolean> {
  const { trust } = adapter;
  if (trust.grant === undefined) {
    io.err(`--grant has no effect: hookline cannot trust hooks in ${host.label} for you.\n`);
    return trust.how === undefined;
  }
  const granted = await trust.grant(path, at);
  try {
    if (granted.isGiven) return true;
    if (args.flags["json"] !== true) io.out(`\n${lines(granted.text)}\n\n`);
    if (!(await agreed(args, io, `Tell ${host.label} so?`))) {
      io.err("Nothing was trusted.\n");
      return false;
    }
    await granted.give();
  } finally {
    granted.close();
  }
  const isGiven = (await trust.given?.(path, at)) === true;
  io.err(isGiven ? `${host.label} trusts them now.\n` : `${host.label} still does not trust them.\n`);
  return isGiven;
}

function lines(text: string): string {
  return text.split("\n").map(plain).join("\n");
}

function asData(
  { host, adapter, scope, at }: Wanted,
  { path, action, backup }: FileChange,
  entries: ReturnType<typeof entriesOf>,
  isGiven: boolean,
): object {
  const how = adapter.trust.how?.(scope, at);
  return {
    v: 1,
    host: host.name,
    scope,
    files: [{ path, action, ...(backup !== undefined && { backup }) }],
    trust: { needed: how !== undefined, ...(how !== undefined && { how }), given: how === undefined || isGiven },
    entries: entries.map((entry) => ({ ...entry, unit: adapter.unit })),
  };
}
