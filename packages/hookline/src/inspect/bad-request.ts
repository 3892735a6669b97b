/** A request that cannot be answered; the message tells a person why. */
export class BadRequest extends Error {
  readonly status: number;
  readonly code: string;

  constructor(message: string, status = 400, code = "bad-request") {
    super(message);
    this.status = status;
    this.code = code;
  }
}
