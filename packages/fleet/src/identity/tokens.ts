import { encodeAccount, encodeOperator, encodeUser, newScopedSigner } from "@nats-io/jwt";
import type { Role } from "../sign/creds.ts";
import type { Nkey } from "../sign/nkey.ts";
import { rightsOf } from "./roles.ts";

const seedOf = ({ seed }: Nkey): Uint8Array => new TextEncoder().encode(seed);

/** No limits. NATS reads a missing limit as 0, so each is written. */
const UNLIMITED = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
} as const;
const STORING = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 } as const;

/** Makes the operator's token, which names the system account. */
export async function operatorToken(fleet: string, operator: Nkey, system: string): Promise<string> {
  return encodeOperator(fleet, seedOf(operator), { system_account: system });
}

/** Makes the token of the servers' system account, which has no users. */
export async function systemToken(system: Nkey, operator: Nkey): Promise<string> {
  return encodeAccount("SYS", seedOf(system), { limits: UNLIMITED }, { signer: seedOf(operator) });
}

/** The keys for an account's token, and the users' keys that the account has revoked. */
export interface AccountParts {
  readonly account: Nkey;
  readonly operator: Nkey;
  readonly roles: readonly { readonly role: Role; readonly key: Nkey }[];
  readonly revocations: Readonly<Record<string, number>>;
}

/**
 * Makes the token of the fleet's account, with one signing key for each role. A user signed by such a key has the
 * role's rights and no others.
 */
export async function accountToken(fleet: string, parts: AccountParts): Promise<string> {
  const signing_keys = parts.roles.map(({ role, key }) => {
    const { pub, sub } = rightsOf(role, fleet);
    return newScopedSigner(key.public, role, { pub: { allow: [...pub] }, sub: { allow: [...sub] } });
  });
  const { account, operator, revocations } = parts;
  const claims = { limits: { ...UNLIMITED, ...STORING }, signing_keys, revocations };
  return encodeAccount(fleet, seedOf(account), claims, { signer: seedOf(operator) });
}

/** The key that signs a user's token, and when the token expires, in epoch seconds. */
export interface UserParts {
  readonly signer: Nkey;
  /** The account, if a role's key signs; absent if the signer is the account's own key. */
  readonly account?: Nkey;
  readonly exp?: number;
}

/** Makes a user's token. If a role's key signs it, the token has no rights of its own: the role's apply. */
export async function userToken(name: string, key: Nkey, { signer, account, exp }: UserParts): Promise<string> {
  const until = exp === undefined ? {} : { exp };
  if (account === undefined) return encodeUser(name, key.public, seedOf(signer), {}, until);
  return encodeUser(name, key.public, account.public, {}, { ...until, signer: seedOf(signer), scopedUser: true });
}
