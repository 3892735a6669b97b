/** Codes of the reasons why something from outside is not used. */
export type Refusal =
  | "size"
  | "json"
  | "field"
  | "type"
  | "signature"
  | "pin"
  | "fleet"
  | "channel"
  | "version"
  | "early"
  | "expired"
  | "path"
  | "missing"
  | "extra"
  | "hash";

/** Thrown for a root, manifest, bundle or key that must not be used; the message says what is wrong with which one. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.name = "Refused";
    this.refusal = refusal;
  }
}
