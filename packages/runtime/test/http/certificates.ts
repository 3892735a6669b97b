import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A key with its certificate, both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Signs certificates of servers; `ca` is what a client trusts. */
export interface Authority {
  readonly ca: string;
  issue(options: { readonly names: readonly string[]; readonly until?: Date }): Certificate;
}

const DAY_MS = 86_400_000;

/** One value of DER: its tag, its length, its content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
const octets = (...contents: readonly Uint8Array[]): Buffer => der(0x04, ...contents);
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
const integer = (bytes: Uint8Array): Buffer => der(0x02, bytes);
const TRUE = der(0x01, Buffer.from([0xff]));
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const COMMON_NAME = identifier("550403");
const BASIC_CONSTRAINTS = identifier("551d13");
const ALTERNATIVE_NAMES = identifier("551d11");
const ECDSA_SHA256 = sequence(identifier("2a8648ce3d040302"));

const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
const timeOf = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`));

const alternative = (name: string): Buffer =>
  isIP(name) === 4
    ? der(0x87, Uint8Array.from(name.split("."), Number))
    : isIP(name) === 6
      ? der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])) // ::1 is the only one that is used
      : der(0x82, Buffer.from(name));

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;

interface Wanted {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly until: Date;
  readonly extension: Buffer;
}

function certificate({ subject, issuer, publicKey, until, extension }: Wanted, signer: KeyObject): string {
  const content = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    nameOf(issuer),
    sequence(timeOf(new Date(until.getTime() - 30 * DAY_MS)), timeOf(until)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension)),
  );
  return pem("CERTIFICATE", sequence(content, ECDSA_SHA256, bits(sign("sha256", content, signer))));
}

/** Makes an authority of its own, so that no test needs a file or a program for it. */
export function makeAuthority(name = "Test authority"): Authority {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const tomorrow = new Date(Date.now() + DAY_MS);
  const extension = sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE)));
  const wanted = { subject: name, issuer: name, publicKey: pair.publicKey, until: tomorrow, extension };
  return {
    ca: certificate(wanted, pair.privateKey),
    issue({ names, until = tomorrow }) {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const alternatives = sequence(ALTERNATIVE_NAMES, octets(sequence(...names.map(alternative))));
      const leaf = { subject: names[0] ?? "nobody", issuer: name, publicKey, until, extension: alternatives };
      return {
        key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
        cert: certificate(leaf, pair.privateKey),
      };
    },
  };
}
