import { encodeAccount, encodeOperator, encodeUser, newScopedSigner } from "@nats-io/jwt";
import type { Role } from "../sign/creds.ts";
import type { Nkey } from "../sign/nkey.ts";
import { rightsOf } from "./roles.ts";

const seedOf = ({ seed }: Nkey): Uint8Array => new TextEncoder().encode(seed);

/** Without a limit: NATS counts what is missing as 0. */
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

/** The operator's token, which names the account of the servers themselves. */
export async function operatorToken(fleet: string, operator: Nkey, system: string): Promise<string> {
  return encodeOperator(fleet, seedOf(operator), { system_account: system });
}

/** The token of the account of the servers themselves, in which nobody has a user. */
export async function systemToken(system: Nkey, operator: Nkey): Promise<string> {
  return encodeAccount("SYS", seedOf(system), { limits: UNLIMITED }, { signer: seedOf(operator) });
}

/** The keys that sign in an account. */
export interface AccountParts {
  readonly account: Nkey;
  readonly operator: Nkey;
  readonly roles: readonly { readonly role: Role; readonly key: Nkey }[];
  readonly revocations: Readonly<Record<string, number>>;
}

/** The fleet's account: one key for each role, which signs users that may do what the role says and nothing else. */
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
  /** The account that the signer signs for, unless it is the account itself. */
  readonly account?: Nkey;
  readonly exp?: number;
}

/** A user's token. With a role's key as its signer it says nothing of rights, which are those of the role. */
export async function userToken(name: string, key: Nkey, { signer, account, exp }: UserParts): Promise<string> {
  const until = exp === undefined ? {} : { exp };
  if (account === undefined) return encodeUser(name, key.public, seedOf(signer), {}, until);
  return encodeUser(name, key.public, account.public, {}, { ...until, signer: seedOf(signer), scopedUser: true });
}
