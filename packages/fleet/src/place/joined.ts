import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { messageOf, readJson, readPrivate, writePrivate } from "../kit.ts";
import { NAME } from "../name/subjects.ts";
import { type Creds, readCreds } from "../sign/creds.ts";

/** Returns the folder in hookline's home with all files about the fleet that a machine has joined. */
export function fleetFolder(hooklineHome: string): string {
  return join(hooklineHome, "fleet");
}

/** Names of the files in the fleet's folder. */
export const FILES = { joined: "fleet.json", creds: "creds" } as const;

const schema = v.strictObject({
  v: v.literal(1),
  url: v.string(),
  fleet: v.pipe(v.string(), v.regex(NAME)),
  machine: v.pipe(v.string(), v.regex(NAME)),
  channel: v.pipe(v.string(), v.regex(NAME)),
  /** SHA-256 of the root that the machine trusts. */
  root: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

/** The fleet that a machine has joined, and the root that it trusts. */
export type Joined = v.InferOutput<typeof schema>;

/** How a machine reaches its fleet: the server's URL and the machine's creds. */
export interface Access extends Pick<Joined, "url" | "fleet" | "machine"> {
  readonly creds: Creds;
}

/** A machine's membership in its fleet: its access to the server, and its folders. */
export interface Membership extends Joined, Access {
  /** The folder with the policy that the machine follows. */
  readonly folder: string;
  /** The folder with the spools of the machine's decisions. */
  readonly spool: string;
  /** Source of the membership: a file's path, or the name of a variable. */
  readonly from: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Environment variables that replace `fleet join`, for CI. */
export const VARIABLES = ["HOOKLINE_FLEET_URL", "HOOKLINE_FLEET_CREDS", "HOOKLINE_FLEET_ROOT"] as const;

/**
 * Returns the fleet of this machine. It is in the environment, else in hookline's home; never in a project. `undefined`
 * if it belongs to none. Throws if the files cannot be read: the fleet's guards must not be lost silently.
 */
export function membership(hooklineHome: string, env: Env): Membership | undefined {
  const folder = fleetFolder(hooklineHome);
  const spool = join(folder, "spool");
  const given = givenIn(env, VARIABLES);
  if (given !== undefined) {
    const { url, creds } = given;
    const joined = {
      v: 1,
      url,
      fleet: creds.fleet,
      machine: creds.machine,
      channel: env["HOOKLINE_FLEET_CHANNEL"] ?? "stable",
      root: pinIn(env["HOOKLINE_FLEET_ROOT"] ?? ""),
    };
    const read = checked(joined, "the environment");
    // The versions seen of one fleet say nothing about another, so each root has a folder of its own.
    return { ...read, creds, folder: join(folder, "pins", read.root), spool, from: VARIABLES[0] };
  }
  const path = join(folder, FILES.joined);
  const text = privateText(path);
  if (text === undefined) return undefined;
  const reading = readJson(text);
  const joined = checked(reading.ok ? reading.value : undefined, path);
  const credsPath = join(folder, FILES.creds);
  const credsFile = privateText(credsPath);
  if (credsFile === undefined) throw new Error(`${credsPath} is missing; join the fleet again`);
  const creds = credsIn(credsPath, credsFile);
  if (creds.fleet !== joined.fleet || creds.machine !== joined.machine)
    throw new Error(
      `${credsPath} belongs to ${creds.machine} in ${creds.fleet}, not to ${joined.machine} in ${joined.fleet}`,
    );
  return { ...joined, creds, folder, spool, from: path };
}

/**
 * Returns how to reach the fleet, for a machine that follows no policy, such as an auditor's. If environment variables
 * give the server and the creds, they need not give a root.
 */
export function access(hooklineHome: string, env: Env): Access | undefined {
  const given = givenIn(env, VARIABLES.slice(0, 2));
  if (given === undefined) return membership(hooklineHome, env);
  const { url, creds } = given;
  return { url, fleet: creds.fleet, machine: creds.machine, creds };
}

/**
 * Reads the server and creds from the environment; `undefined` if no variable is set. Throws if one of the needed
 * variables is missing.
 */
function givenIn(env: Env, needed: readonly string[]): { readonly url: string; readonly creds: Creds } | undefined {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const given = VARIABLES.filter(isSet);
  if (given.length === 0) return undefined;
  const absent = needed.find((name) => !isSet(name));
  if (absent !== undefined)
    throw new Error(
      `${given.join(" and ")} ${given.length === 1 ? "is" : "are"} set, but ${absent} is not; set ${needed.length === 2 ? "both" : "all three"}`,
    );
  const [url = "", path = ""] = VARIABLES.map((name) => env[name]);
  return { url, creds: credsIn(path, path.startsWith("-----BEGIN ") ? path : readFileSync(path, "utf8")) };
}

/**
 * Returns the hash to pin: the SHA-256 of the root's file at this path, or a given SHA-256 as it is. Throws for
 * anything else.
 */
export function pinIn(given: string, cwd = process.cwd()): string {
  if (/^[0-9a-f]{64}$/i.test(given)) return given.toLowerCase();
  const path = resolve(cwd, given);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    throw new Error(`the root is neither a file nor a SHA-256: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (bytes.includes("fleet-root")) return createHash("sha256").update(bytes).digest("hex");
  throw new Error(`${path} is not the root of a fleet; \`hookline fleet root\` makes root.json`);
}

/** Records that this machine has joined a fleet. */
export function writeMembership(hooklineHome: string, joined: Joined, creds: string): void {
  const folder = fleetFolder(hooklineHome);
  writePrivate(join(folder, FILES.creds), creds);
  writePrivate(join(folder, FILES.joined), `${JSON.stringify(joined, undefined, 2)}\n`);
}

function checked(value: unknown, what: string): Joined {
  const read = v.safeParse(schema, value, { abortEarly: true });
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new Error(`${what}: ${v.getDotPath(issue) ?? "it"} has the wrong form: ${issue.message}`);
}

function credsIn(path: string, text: string): Creds {
  try {
    return readCreds(text);
  } catch (thrown) {
    throw new Error(`${path.startsWith("-----") ? VARIABLES[1] : path}: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
}

function privateText(path: string): string | undefined {
  const read = readPrivate(path);
  if (read.state === "read") return read.text;
  if (read.state === "absent") return undefined;
  throw new Error(`${path}: ${read.problem}. ${read.remedy}`);
}
