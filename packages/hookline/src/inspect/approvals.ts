import type { Desk } from "@hookline/fleet";
import { isFields, readJson } from "@hookline/ground";
import type { ApprovalAnswer, ApprovalLine, ApprovalQuestion, ApprovalsPlace, ApprovalTaken } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { type LiveReader, LOOK_MS, pause, QUIET_MS } from "./live.ts";

/** What hears the fleet's questions and answers them. */
export type ApprovalDesk = Pick<Desk, "away" | "isFull" | "all" | "answer">;

/** A desk with what ends it. */
export interface OpenedDesk {
  readonly desk: ApprovalDesk;
  close(): void;
}

/** The fleet of this machine, as far as its people may answer for it. */
export type FleetApprovals =
  | Extract<ApprovalsPlace, { state: "elsewhere" }>
  | (Extract<ApprovalsPlace, { state: "here" }> & {
      /** Called once, when somebody first looks. */
      open(): Promise<OpenedDesk>;
    });

/** The longest reason, in characters. */
const MOST_REASON = 2000;
type Settled = NonNullable<ApprovalQuestion["settled"]>;

const ID = /^[0-9a-f]{16}$/;

/** The fleet's questions, for those who look at the page. It connects to the fleet when somebody first does. */
export class Approvals {
  readonly #fleet: FleetApprovals;
  #opened: Promise<OpenedDesk> | undefined;
  #isClosed = false;

  constructor(fleet: FleetApprovals) {
    this.#fleet = fleet;
  }

  /** What the page is told about them. */
  get place(): ApprovalsPlace {
    const fleet = this.#fleet;
    if (fleet.state === "elsewhere") return { state: "elsewhere", because: fleet.because };
    return { state: "here", fleet: fleet.fleet, approver: fleet.approver };
  }

  /** Sends all questions and how they change, as long as somebody reads. */
  async live({ write, signal }: LiveReader): Promise<void> {
    const desk = await this.desk();
    const send = (line: ApprovalLine): Promise<void> => write(`${JSON.stringify(line)}\n`);
    const sent = new Map<string, string>();
    let told = "";
    let quietSince = performance.now();
    while (!signal.aborted) {
      const all = desk.all();
      const ids = new Set(all.map(({ asked }) => asked.id));
      for (const id of [...sent.keys()]) {
        if (ids.has(id)) continue;
        sent.delete(id);
        await send({ kind: "gone", id });
      }
      for (const heard of all) {
        const now = `${heard.revision} ${heard.state}`;
        if (sent.get(heard.asked.id) === now) continue;
        sent.set(heard.asked.id, now);
        await send({ kind: "question", question: questionOf(heard) });
      }
      const { away } = desk;
      const line: ApprovalLine = { kind: "desk", ...(away !== undefined && { away }), full: desk.isFull };
      if (JSON.stringify(line) !== told) {
        told = JSON.stringify(line);
        await send(line);
        quietSince = performance.now();
      } else if (performance.now() - quietSince > QUIET_MS) {
        await write("\n");
        quietSince = performance.now();
      }
      await pause(LOOK_MS, signal);
    }
  }

  /** Answers a question. Throws a `BadRequest` where nothing was sent. */
  async answer(id: string, body: Uint8Array): Promise<ApprovalTaken> {
    const given = answerIn(body);
    const desk = await this.desk();
    const heard = ID.test(id) ? desk.all().find(({ asked }) => asked.id === id) : undefined;
    if (heard === undefined) throw new BadRequest("No machine is asking this question.", 404, "not-found");
    if (heard.state === "settled")
      throw new BadRequest("The question is already settled; nothing was sent.", 409, "over");
    const outcome = await desk.answer(id, given);
    switch (outcome.state) {
      case "taken":
      case "other":
        return { v: 1, id, taken: outcome.state === "taken", settled: settledOf(outcome.settled) };
      case "counted":
        return { v: 1, id, taken: true };
      case "unconfirmed":
        return { v: 1, id, taken: false };
      case "unknown":
        throw new BadRequest("No machine is asking this question.", 404, "not-found");
      case "expired":
        throw new BadRequest("Its time is over; nothing was sent.", 409, "over");
      case "busy":
        throw new BadRequest("An answer is already on its way; nothing more was sent.", 409, "busy");
      case "away":
        throw new BadRequest(`The fleet cannot be reached, and nothing was sent: ${outcome.problem}.`, 503, "away");
    }
  }

  /** The desk, opened when it is first needed. Throws a `BadRequest` where this machine may not answer. */
  async desk(): Promise<ApprovalDesk> {
    const fleet = this.#fleet;
    if (fleet.state === "elsewhere") throw new BadRequest(fleet.because, 404, "not-found");
    if (this.#isClosed) throw new BadRequest("The inspector is closing.", 503, "away");
    this.#opened ??= fleet.open();
    return (await this.#opened).desk;
  }

  close(): void {
    this.#isClosed = true;
    void this.#opened?.then(({ close }) => close()).catch(() => {});
  }
}

function questionOf({ asked, state }: ReturnType<ApprovalDesk["all"]>[number]): ApprovalQuestion {
  const { id, machine, tool, args, hooks = [], reason, call, expires, approvals, settled } = asked;
  return {
    ...{ id, machine, tool, args, hooks, call, expires, state },
    ...(reason !== undefined && { reason }),
    ...(approvals !== undefined && { approvals }),
    ...(settled !== undefined && { settled: settledOf(settled) }),
  };
}

function settledOf({ by, answer }: { by: string; answer?: "allow" | "deny" | undefined }): Settled {
  return { by, ...(answer !== undefined && { answer }) };
}

function answerIn(body: Uint8Array): ApprovalAnswer {
  const reading = readJson(body);
  const value = reading.ok && reading.duplicates.length === 0 ? reading.value : undefined;
  if (!isFields(value)) throw new BadRequest("The body is not a JSON object with answer and reason.");
  const { answer, reason, ...more } = value;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new BadRequest(`The body has no field ${JSON.stringify(unknown.slice(0, 40))}.`);
  if (answer !== "allow" && answer !== "deny") throw new BadRequest('answer is neither "allow" nor "deny".');
  if (reason !== undefined && (typeof reason !== "string" || reason.length > MOST_REASON))
    throw new BadRequest(`reason is not a text of at most ${MOST_REASON} characters.`);
  return { answer, ...(typeof reason === "string" && reason.trim() !== "" && { reason: reason.trim() }) };
}
