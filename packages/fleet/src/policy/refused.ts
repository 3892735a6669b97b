/** Codes of the reasons to refuse a root, manifest, bundle or key. */
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

/** Thrown for a root, manifest, bundle or key that must not be used. The message names it and its fault. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.name = "Refused";
    this.refusal = refusal;
  }
}
