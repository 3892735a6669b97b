import { readJson } from "../kit.ts";
import type { FleetPart, Role } from "./creds.ts";
import { openSigned } from "./message.ts";
import { isSignedBy } from "./nkey.ts";
import { readToken } from "./token.ts";

/** The fleet and the roles whose messages a reader accepts. */
export interface Believed {
  readonly fleet: Pick<FleetPart, "account" | "signers">;
  /** The roles whose machines may send this kind of message. */
  readonly roles: readonly Role[];
  /** The current time, in epoch ms. */
  readonly now?: number;
}

/** A machine's signed value, or the reason why it must not be believed. */
export type SignedRead =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly machine: string;
      readonly role: Role;
      /** The public key of the machine. */
      readonly key: string;
    }
  | { readonly ok: false; readonly problem: string };

const WORDS: Readonly<Record<Role, string>> = {
  agent: "an agent",
  worker: "a worker",
  publisher: "a publisher",
  auditor: "an auditor",
  approver: "an approver",
};

/**
 * Reads a signed message; it must be complete, and signed by a machine that was enrolled in this fleet with one of the
 * roles.
 */
export function readSigned(
  type: string,
  bytes: Uint8Array,
  tokenText: string,
  { fleet: { account, signers }, roles, now = Date.now() }: Believed,
): SignedRead {
  const no = (problem: string): SignedRead => ({ ok: false, problem });
  const token = readToken(tokenText);
  const role = roles.find((one) => signers[one] === token?.iss);
  if (token === undefined || token.account !== account || role === undefined)
    return no(`its token does not belong to ${roles.map((one) => WORDS[one]).join(" or ")} of this fleet`);
  if (token.exp !== undefined && token.exp * 1000 <= now) return no("its token has expired");
  const signed = openSigned(type, bytes);
  if (signed === undefined || !isSignedBy("user", token.sub, signed.message, signed.signature))
    return no("its signature does not match its token");
  const reading = readJson(signed.body);
  if (!reading.ok || reading.duplicates.length > 0) return no("it is not a plain JSON object");
  return { ok: true, value: reading.value, machine: token.name, role, key: token.sub };
}
