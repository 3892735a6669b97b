/** What is asked for cannot be answered; the message says why to a person. */
export class BadRequest extends Error {
  readonly status: number;
  readonly code: string;

  constructor(message: string, status = 400, code = "bad-request") {
    super(message);
    this.status = status;
    this.code = code;
  }
}
