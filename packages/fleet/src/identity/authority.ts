import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { readJson, readPrivate, writePrivate } from "../kit.ts";
import { NAME, nameProblem } from "../name/subjects.ts";
import { credsText, ROLES, type Role } from "../sign/creds.ts";
import { type KeyKind, type Nkey, newNkey, readNkey } from "../sign/nkey.ts";
import { serverText, trustText } from "./server-text.ts";
import { accountToken, operatorToken, systemToken, userToken } from "./tokens.ts";

const name = () => v.pipe(v.string(), v.regex(NAME));
const schema = v.strictObject({
  v: v.literal(1),
  fleet: name(),
  machines: v.record(
    name(),
    v.strictObject({
      role: v.picklist(ROLES),
      /** The machine's public key. */
      key: v.string(),
    }),
  ),
  /** Tokens that are made once and kept, because a running server does not accept another operator token. */
  tokens: v.strictObject({ operator: v.string(), system: v.string() }),
  /** Revoked public keys, each with the time of its revocation in epoch seconds. */
  revocations: v.record(v.string(), v.number()),
});

/** The members of a fleet, as its folder lists them. */
export type Register = v.InferOutput<typeof schema>;

const KEYS = ["operator", "account", "system", ...ROLES] as const;
type KeyName = (typeof KEYS)[number];

/** The keys of a fleet and its register of enrolled machines: the folder that `fleet init` makes. */
export class Authority {
  readonly folder: string;
  readonly fleet: string;
  #register: Register;
  readonly #keys: Readonly<Record<KeyName, Nkey>>;

  private constructor(folder: string, register: Register, keys: Readonly<Record<KeyName, Nkey>>) {
    this.folder = folder;
    this.fleet = register.fleet;
    this.#register = register;
    this.#keys = keys;
  }

  /** Creates the folder of a new fleet; throws if there is anything in it already. */
  static async create(folder: string, fleet: string): Promise<Authority> {
    const problem = nameProblem(fleet);
    if (problem !== undefined) throw new Error(`the name "${fleet}" ${problem}`);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new Error(`${folder} is not empty; give a folder that does not exist yet`);
    mkdirSync(join(folder, "keys"), { recursive: true, mode: 0o700 });
    const keys = Object.fromEntries(KEYS.map((name) => [name, newNkey(kindOf(name))])) as Record<KeyName, Nkey>;
    for (const [name, { seed }] of Object.entries(keys)) writePrivate(join(folder, "keys", `${name}.nk`), `${seed}\n`);
    const tokens = {
      operator: await operatorToken(fleet, keys.operator, keys.system.public),
      system: await systemToken(keys.system, keys.operator),
    };
    const authority = new Authority(folder, { v: 1, fleet, machines: {}, tokens, revocations: {} }, keys);
    writePrivate(join(folder, "server.conf"), serverText(folder, fleet));
    await authority.#write();
    return authority;
  }

  /** Opens the folder of a fleet; throws if something in it is wrong. */
  static open(folder: string): Authority {
    const path = join(folder, "fleet.json");
    const reading = readJson(textOf(path));
    const read = v.safeParse(schema, reading.ok ? reading.value : undefined);
    if (!read.success) throw new Error(`${path} cannot be read; it is not a list of a fleet's machines`);
    const keys = KEYS.map((name) => {
      const file = join(folder, "keys", `${name}.nk`);
      return [name, readNkey(kindOf(name), textOf(file).trim())];
    });
    return new Authority(folder, read.output, Object.fromEntries(keys) as Record<KeyName, Nkey>);
  }

  /** The machines that were enrolled and have not been revoked. */
  get machines(): Register["machines"] {
    return this.#register.machines;
  }

  /** Makes a machine's creds and returns their text; throws for a name that is taken. */
  async enroll(machine: string, role: Role): Promise<string> {
    const problem = nameProblem(machine);
    if (problem !== undefined) throw new Error(`the name "${machine}" ${problem}`);
    if (Object.hasOwn(this.machines, machine))
      throw new Error(`${machine} is already enrolled, as ${this.machines[machine]?.role}; revoke it first`);
    const key = newNkey("user");
    const token = await userToken(machine, key, { signer: this.#keys[role], account: this.#keys.account });
    this.#register = {
      ...this.#register,
      machines: { ...this.machines, [machine]: { role, key: key.public } },
    };
    await this.#write();
    const signers = Object.fromEntries(ROLES.map((one) => [one, this.#keys[one].public])) as Record<Role, string>;
    return credsText(token, key, {
      v: 1,
      fleet: this.fleet,
      machine,
      role,
      account: this.#keys.account.public,
      signers,
    });
  }

  /** Revokes a machine's creds. The servers must read the configuration again. */
  async revoke(machine: string): Promise<void> {
    const { [machine]: found, ...machines } = this.machines;
    if (found === undefined) throw new Error(`${machine} is not enrolled in ${this.fleet}`);
    const now = Math.floor(Date.now() / 1000);
    this.#register = { ...this.#register, machines, revocations: { ...this.#register.revocations, [found.key]: now } };
    await this.#write();
  }

  /**
   * Returns a token and its key that may do anything in the fleet's account for some minutes. It is for setting up what
   * no role has the right to set up.
   */
  async administrator(minutes = 10): Promise<{ readonly token: string; readonly key: Nkey }> {
    const key = newNkey("user");
    const exp = Math.floor(Date.now() / 1000) + minutes * 60;
    const id = randomBytes(4).toString("hex");
    return { token: await userToken(`setup-${id}`, key, { signer: this.#keys.account, exp }), key };
  }

  /** Writes the list of the fleet's members, for people and for the servers. */
  async #write(): Promise<void> {
    const { operator, account, system } = this.#keys;
    const { tokens, revocations } = this.#register;
    const roles = ROLES.map((role) => ({ role, key: this.#keys[role] }));
    writePrivate(join(this.folder, "fleet.json"), `${JSON.stringify(this.#register, undefined, 2)}\n`);
    const text = trustText({
      operator: tokens.operator,
      system: { key: system.public, token: tokens.system },
      account: {
        key: account.public,
        token: await accountToken(this.fleet, { account, operator, roles, revocations }),
      },
    });
    writePrivate(join(this.folder, "trust.conf"), text);
  }
}

function kindOf(name: KeyName): KeyKind {
  return name === "operator" ? "operator" : "account";
}

function textOf(path: string): string {
  const read = readPrivate(path);
  if (read.state === "read") return read.text;
  throw new Error(
    read.state === "absent"
      ? `${path} does not exist; \`hookline fleet init\` makes it`
      : `${path}: ${read.problem}. ${read.remedy}`,
  );
}
