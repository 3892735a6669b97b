import { join } from "node:path";
import { isFields, parseJson } from "@hookline/ground";
import { plain, readPrivate, writePrivate } from "@hookline/ground/system";
import type { CallReading } from "@hookline/runtime/engine";
import type { BridgeHost } from "../host/host.ts";
import { type HostNames, namesIn } from "../host/names.ts";
import { programVersion } from "../host/program-version.ts";

/** At most `MOST_NAMES` unknown names are stored for a version of a host, each of at most `LONGEST` characters. */
const MOST_NAMES = 500;
const LONGEST = 80;

/** The kinds of names that may be new in an agent: payload fields, tool arguments, events, tools. */
export type NameKind = "field" | "argument" | "event" | "tool";

/** A name that an agent uses and this version of hookline does not know. Values are never stored. */
export interface NewName {
  readonly kind: NameKind;
  /** `EVENT.field`, `TOOL.argument`, or the name of an event or a tool. */
  readonly name: string;
  /** The arguments by which guards judge calls of an unknown tool: `command`, `path` or `patch`. */
  readonly takes?: readonly string[];
}

/** The new names of one version of an agent. */
export interface Moved {
  /** The agent's version; absent if no file shows it. */
  readonly version?: string;
  readonly names: readonly NewName[];
}

interface Kept {
  readonly names: readonly NewName[];
  /** How many of `names`, from the first one on, the person was told about. */
  readonly told: number;
}

/** Version under which names are kept if no file shows the agent's version. */
const UNKNOWN = "unknown";

/**
 * Notices that an agent has changed: it compares the names in its calls with the known ones, and stores the others in
 * hookline's home by the agent's version. Never throws, so that it never keeps a guard from being asked.
 */
export class Drift {
  readonly #host: Pick<BridgeHost, "name" | "label" | "tools">;
  readonly #version: string;
  readonly #path: string;
  /** False if no names are recorded for this host: no event or tool then counts as new. */
  readonly #looks: boolean;
  readonly #fields: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #args: ReadonlyMap<string, ReadonlySet<string>>;
  /** Fields with known inner fields, as `EVENT.field`. New inner fields of these are noticed too. */
  readonly #inner: ReadonlySet<string>;
  readonly #known: Set<string>;

  constructor(host: Pick<BridgeHost, "name" | "label" | "tools">, at: DriftAt, names: HostNames | undefined) {
    this.#host = host;
    this.#version = at.version ?? UNKNOWN;
    this.#path = pathOf(at.hooklineHome, host.name);
    this.#looks = names !== undefined;
    this.#fields = setsOf(names?.fields);
    this.#args = setsOf(names?.args);
    this.#inner = new Set(
      [...this.#fields].flatMap(([event, known]) =>
        [...known].flatMap((field) => (field.includes(".") ? [`${event}.${field.split(".")[0]}`] : [])),
      ),
    );
    this.#known = new Set(this.#kept().names.map(keyOf));
  }

  /** Compares the fields of an event's payload with the known names. */
  see(event: string, payload: Readonly<Record<string, unknown>>): void {
    const known = this.#fields.get(event);
    if (known === undefined) return;
    for (const [field, value] of Object.entries(payload)) {
      if (!known.has(field)) this.#add("field", `${event}.${field}`);
      // Fields inside a field are compared only if a known name such as `input.tool` shows that the agent nests them.
      if (!isFields(value) || !this.#inner.has(`${event}.${field}`)) continue;
      for (const name of Object.keys(value))
        if (!known.has(`${field}.${name}`)) this.#add("field", `${event}.${field}.${name}`);
    }
  }

  /** Records an event that the bridge does not know. */
  event(name: string): void {
    if (this.#looks) this.#add("event", name);
  }

  /**
   * Compares a call's tool or, if the tool is known, its arguments with the known names. Tools of MCP servers are left
   * out, since they are not the agent's own.
   */
  call({ name, entry, args, isOfServer, guessed }: CallReading): void {
    if (entry === undefined) {
      if (this.#looks && !isOfServer && name !== "") this.#add("tool", name, guessed);
      return;
    }
    const known = this.#args.get(name);
    if (known === undefined) return;
    for (const argument of Object.keys(args)) if (!known.has(argument)) this.#add("argument", `${name}.${argument}`);
  }

  /** Returns a line for the person about new names, each reported once; `undefined` if there are none. */
  news(): string | undefined {
    const { names, told } = this.#kept();
    const fresh = names.slice(told);
    if (fresh.length === 0) return undefined;
    this.#keep({ names, told: names.length });
    return `hookline: ${movedLine(this.#host, { version: this.#version, names: fresh })}`;
  }

  #add(kind: NameKind, told: string, takes: readonly string[] = []): void {
    const name = plain(told).slice(0, LONGEST);
    const found: NewName = { kind, name, ...(takes.length > 0 && { takes }) };
    if (this.#known.has(keyOf(found))) return;
    this.#known.add(keyOf(found));
    // The file is read again, since the daemon of another folder may have stored more names.
    const { names, told: count } = this.#kept();
    if (names.length >= MOST_NAMES || names.some((one) => keyOf(one) === keyOf(found))) return;
    this.#keep({ names: [...names, found], told: count });
  }

  #kept(): Kept {
    return keptIn(this.#path)[this.#version] ?? { names: [], told: 0 };
  }

  #keep(kept: Kept): void {
    try {
      const versions = { ...keptIn(this.#path), [this.#version]: kept };
      writePrivate(this.#path, `${JSON.stringify({ v: 1, versions }, null, 2)}\n`);
    } catch {
      // A name that could not be stored is found again in the next session.
    }
  }
}

interface DriftAt {
  readonly hooklineHome: string;
  readonly version: string | undefined;
}

/** Returns the recorder of a host's unknown names, for the version of the host in this environment. */
export async function driftOf(
  host: BridgeHost,
  hooklineHome: string,
  env: Readonly<Record<string, string>>,
): Promise<Drift> {
  return new Drift(host, { hooklineHome, version: programVersion(host.name, { env }) }, await host.names?.());
}

/** Returns the names that a host has used and this hookline does not know, by the host's version. */
export async function movedIn(host: BridgeHost, hooklineHome: string): Promise<readonly Moved[]> {
  const names = await host.names?.();
  const [fields, args] = [setsOf(names?.fields), setsOf(names?.args)];
  const isNew = ({ kind, name }: NewName): boolean => {
    if (kind === "event") return !Object.hasOwn(host.events, name);
    if (kind === "tool") return !Object.hasOwn(host.tools.tools, name);
    // Names of events and nested fields contain dots, so each known event or tool is tried as the name's prefix.
    const known = kind === "field" ? fields : args;
    return ![...known].some(([of, all]) => name.startsWith(`${of}.`) && all.has(name.slice(of.length + 1)));
  };
  return Object.entries(keptIn(pathOf(hooklineHome, host.name))).flatMap(([version, { names: all }]) => {
    const left = all.filter(isNew);
    return left.length === 0 ? [] : [{ ...(version !== UNKNOWN && { version }), names: left }];
  });
}

/** Says in one line what is new in a version of a host. */
export function movedLine({ name, label }: Pick<BridgeHost, "name" | "label">, { version, names }: Moved): string {
  const counts = (["field", "argument", "event", "tool"] as const).flatMap((kind) => {
    const { length } = names.filter((one) => one.kind === kind);
    return length === 0 ? [] : [`${length} new ${kind}${length === 1 ? "" : "s"}`];
  });
  const of = version === undefined || version === UNKNOWN ? label : `${label} ${version}`;
  const judged = names.flatMap(({ name: tool, takes = [] }) =>
    takes.length === 0 ? [] : [`${tool} (takes a ${takes.join(" and a ")})`],
  );
  const warning =
    judged.length === 0
      ? ""
      : ` Guards judge calls of ${judged.join(", ")} by that alone, as a shell, a write or a patch.`;
  return `${of} has moved: ${counts.join(", ")}; \`hookline bridge status ${name}\` names them.${warning}`;
}

/** Lists the new names of a version, one line for each kind. */
export function movedLines({ version, names }: Moved): readonly string[] {
  const of = version === undefined ? "the version that runs" : `version ${version}`;
  return Object.entries(Object.groupBy(names, ({ kind }) => kind)).map(([kind, some = []]) => {
    const shown = some.map(({ name, takes = [] }) =>
      takes.length === 0 ? name : `${name} (takes a ${takes.join(" and a ")})`,
    );
    return `${of} has ${kind}s that hookline does not know: ${shown.join(", ")}`;
  });
}

function pathOf(hooklineHome: string, host: string): string {
  return join(hooklineHome, "bridge", "moved", `${host}.json`);
}

function keyOf({ kind, name }: NewName): string {
  return `${kind} ${name}`;
}

function setsOf(texts: Readonly<Record<string, string>> = {}): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, new Set(namesIn(text))]));
}

/** Returns the recorded names by version; empty if the file cannot be read. */
function keptIn(path: string): Readonly<Record<string, Kept>> {
  const read = readPrivate(path);
  if (read.state !== "read") return {};
  try {
    const { versions } = parseJson(read.text) as { readonly versions?: unknown };
    return isFields(versions) ? (versions as Record<string, Kept>) : {};
  } catch {
    return {};
  }
}
