import { randomBytes } from "node:crypto";
import { type Call, type Clock, catalog, cleanText, HookFailure, type Scene } from "../kit.ts";
import type { Link, RequestOutcome } from "../link/link.ts";
import { namesOf } from "../name/subjects.ts";
import type { Coverage } from "../policy/coverage.ts";
import type { SignedManifest } from "../policy/manifest.ts";
import type { Creds } from "../sign/creds.ts";
import { type Answer, readAnswer } from "../wire/answer.ts";
import { MOST_BYTES, type Question, TOKEN_HEADER, writeQuestion } from "../wire/question.ts";
import { withoutProviderKeys } from "./provider-keys.ts";
import { FleetAnswer } from "./rows.ts";

/** How long to wait for a worker's answer, in ms. */
export const DEADLINE_MS = 10_000;

type Fields = Readonly<Record<string, unknown>>;

/** Dependencies for asking workers about a bundle's hooks. */
export interface AskerParts {
  readonly creds: Creds;
  readonly bundle: Pick<SignedManifest, "digest">;
  readonly link: Pick<Link, "ready" | "request" | "problem">;
  readonly clock: Clock;
  /** Environment with the providers' API keys, which must not leave the machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly deadlineMs?: number;
}

/** Asks a worker about events. Each question is for all remote hooks of an event. */
export class Asker {
  readonly #parts: AskerParts;

  constructor(parts: AskerParts) {
    this.#parts = parts;
  }

  /** Returns the answer of a worker's hooks to an event. Throws `HookFailure` if no valid answer arrives. */
  async ask(coverage: Coverage, event: Fields, call: Call, scene: Scene): Promise<FleetAnswer> {
    const { clock, link, creds, bundle } = this.#parts;
    const deadline = clock.now() + (this.#parts.deadlineMs ?? DEADLINE_MS);
    const left = (): number => Math.max(1, Math.round(deadline - clock.now()));
    if (!(await link.ready(left(), call.signal)))
      throw this.#failure(coverage, "threw", `not connected${link.problem === undefined ? "" : ` (${link.problem})`}`);
    const question = this.#question(coverage, event, { call, scene, deadlineMs: left() });
    const bytes = writeQuestion(question, creds);
    if (bytes.length > MOST_BYTES)
      throw this.#failure(
        coverage,
        "engine",
        `the event is too large: ${bytes.length} bytes, at most 512 KiB are allowed`,
      );
    const mostMs = left();
    const reply = await link.request(namesOf(creds.fleet).ask(bundle.digest, coverage.event), bytes, {
      headers: { [TOKEN_HEADER]: creds.token },
      mostMs,
      again: coverage.isIdempotent ? mostMs / 2 : undefined,
      signal: call.signal,
    });
    const answer = this.#read(coverage, question, reply);
    const writers = answer.edits.map(({ hook, field }) => [field, `fleet/${answer.worker}:${shown(hook)}`]);
    return new FleetAnswer(answer.answer, coverage.may, Object.fromEntries(writers));
  }

  #read(coverage: Coverage, question: Question, reply: RequestOutcome): Answer {
    if (reply.state === "nobody") throw this.#failure(coverage, "threw", "no worker");
    if (reply.state === "lost") throw this.#failure(coverage, "threw", "the connection was lost");
    if (reply.state === "late")
      throw this.#failure(coverage, "timeout", `deadline (no answer within ${question.deadlineMs} ms)`);
    const read = readAnswer(reply.data, question);
    if (!read.ok) throw this.#failure(coverage, "bad", shown(read.problem));
    // Checks the whole answer, including the fields that the manifest forbids and `limited` drops later.
    const said = catalog.get(coverage.event)?.read(read.answer.answer as never);
    if (said?.ok !== true)
      throw this.#failure(coverage, "bad", `a bad answer: ${shown(said?.problem ?? "no such event")}`);
    return read.answer;
  }

  #question(
    { event: name, needs }: Coverage,
    event: Fields,
    { call, scene, deadlineMs }: { readonly call: Call; readonly scene: Scene; readonly deadlineMs: number },
  ): Question {
    const { creds, bundle } = this.#parts;
    const wanted = Object.fromEntries(
      Object.entries(event).filter(([field]) => field === "toolCallId" || needs.has(field)),
    );
    const payload = withoutProviderKeys(wanted, this.#parts.env);
    const id = event["toolCallId"];
    return {
      v: 1,
      id: randomBytes(16).toString("base64url"),
      machine: creds.machine,
      session: scene.sessionId.slice(0, 200),
      ...(typeof id === "string" && id !== "" && { call: id.slice(0, 200) }),
      pass: call.pass,
      event: name,
      deadlineMs,
      bundle: bundle.digest,
      payload,
      ...(needs.has("cwd") && { cwd: scene.cwd }),
      ...(call.trace !== undefined && { trace: call.trace.traceparent }),
    };
  }

  /** Makes a failure that names the fleet, the hooks that would have been asked, and the cause. */
  #failure({ rules }: Coverage, cause: "threw" | "timeout" | "bad" | "engine", problem: string): HookFailure {
    const files = rules.map(({ file }) => file).join(", ");
    return new HookFailure(cause, `fleet ${this.#parts.creds.fleet} could not ask ${files}: ${problem}`);
  }
}

/** Makes a text from another machine safe for a line of a message. */
function shown(text: string): string {
  return cleanText(text, { controls: "show" }).slice(0, 300);
}
