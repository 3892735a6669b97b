import * as v from "valibot";
import { readJson } from "../kit.ts";
import { NAME } from "../name/subjects.ts";
import { isPublic, type Nkey, readNkey } from "./nkey.ts";
import { readToken } from "./token.ts";

/** The roles of machines in a fleet. */
export const ROLES = ["agent", "worker", "publisher", "auditor", "approver"] as const;

/** The role of a machine in a fleet. */
export type Role = (typeof ROLES)[number];

const name = () => v.pipe(v.string(), v.regex(NAME));
const account = () =>
  v.pipe(
    v.string(),
    v.check((text) => isPublic("account", text), "not the public key of an account"),
  );

/** The fleet's part of a creds file, as JSON after the part that NATS reads. */
const part = v.strictObject({
  v: v.literal(1),
  fleet: name(),
  machine: name(),
  role: v.picklist(ROLES),
  account: account(),
  signers: v.strictObject(
    Object.fromEntries(ROLES.map((role) => [role, account()])) as Record<Role, ReturnType<typeof account>>,
  ),
});

/** The fleet's part of a creds file. */
export type FleetPart = v.InferOutput<typeof part>;

/** A machine's identity: the token that it shows to the server, and the key that it signs with. */
export interface Creds extends FleetPart {
  /** The user's token of NATS. */
  readonly token: string;
  readonly key: Nkey;
}

const SECTION = /-{3,}BEGIN ([A-Z ]+)-{3,}\r?\n(.+?)\r?\n-{3,}END \1-{3,}/g;
const MOST_CHARACTERS = 64 * 1024;

/** Writes a creds file: NATS's format with one section more. */
export function credsText(token: string, key: Nkey, fleet: FleetPart): string {
  const sections = [
    ["NATS USER JWT", token],
    ["USER NKEY SEED", key.seed],
    ["HOOKLINE FLEET", JSON.stringify(fleet)],
  ];
  const text = sections.map(([title, body]) => `-----BEGIN ${title}-----\n${body}\n------END ${title}------\n`);
  return `${text.join("\n")}`;
}

/** Reads the text of a creds file; throws for an invalid one, in words that quote nothing of it. */
export function readCreds(text: string): Creds {
  const sections = new Map<string, string>();
  for (const [, title = "", body = ""] of text.slice(0, MOST_CHARACTERS).matchAll(SECTION)) sections.set(title, body);
  const [token, seed, json] = ["NATS USER JWT", "USER NKEY SEED", "HOOKLINE FLEET"].map((title) => sections.get(title));
  if (token === undefined || seed === undefined || json === undefined)
    throw new Error("it is not a creds file of a fleet; `hookline fleet enroll` prints one");
  const reading = readJson(json);
  const read = v.safeParse(part, reading.ok ? reading.value : undefined);
  if (!read.success) throw new Error("its section HOOKLINE FLEET cannot be read");
  const key = readNkey("user", seed.trim());
  const fleet = read.output;
  const claims = readToken(token.trim());
  const isOwn = claims?.sub === key.public && claims.name === fleet.machine;
  if (!isOwn || claims.account !== fleet.account || claims.iss !== fleet.signers[fleet.role])
    throw new Error("its token, key and fleet do not match");
  return { ...fleet, token: token.trim(), key };
}
