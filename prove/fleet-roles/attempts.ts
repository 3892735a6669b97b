import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { rightsOf } from "../../packages/fleet/src/identity/roles.ts";
import { TestFleet } from "../../packages/fleet/test/support/fleet.ts";
import type { Dice } from "../stage/dice.ts";
import {
  FLEET,
  HEARS,
  lets,
  listenedTo,
  MACHINES,
  type Machine,
  matches,
  matchOf,
  READS,
  STREAMS,
  subjectOf,
  WRITES,
} from "./subjects.ts";

type Connection = Awaited<ReturnType<TestFleet["connect"]>>;

/** A fleet in which every role tries everything, and an observer who sees all effects. */
export class Trials implements AsyncDisposable {
  readonly #fleet: TestFleet;
  readonly #connections: ReadonlyMap<string, Connection>;
  readonly #setup: Connection;
  /** Every message that the server has let through: its subject by its payload. */
  readonly #written = new Map<string, string>();
  readonly counts = { let: 0, refused: 0, read: 0 };

  private constructor(fleet: TestFleet, connections: ReadonlyMap<string, Connection>, setup: Connection) {
    this.#fleet = fleet;
    this.#connections = connections;
    this.#setup = setup;
  }

  static async open(): Promise<Trials> {
    const fleet = await TestFleet.start();
    const connections = new Map<string, Connection>();
    for (const { name, role } of MACHINES) connections.set(name, await fleet.connect(await fleet.creds(name, role)));
    const { token, key } = await fleet.authority.administrator(24 * 60);
    const anybody = await fleet.creds("the-agent", "agent");
    const setup = await fleet.connect({ ...anybody, machine: "setup", token, key });
    const trials = new Trials(fleet, connections, setup);
    setup.subscribe(">", { callback: (_, message) => void trials.#written.set(message.string(), message.subject) });
    for (const subject of STORED) await setup.request(subject, `kept on ${subject}`, { timeout: 5000 });
    return trials;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#fleet.stop();
  }

  /** Lets one machine try many things; returns what it could do against its rights, or could not do despite them. */
  async trial(dice: Dice): Promise<string | undefined> {
    const machine = dice.pick(MACHINES);
    const connection = this.#connections.get(machine.name) as Connection;
    for (let left = 30; left > 0; left--) {
      const attempt = dice.pick([this.#write, this.#listen, this.#read, this.#reply]);
      const problem = await attempt.call(this, machine, connection, dice);
      if (problem !== undefined) return `${machine.name}: ${problem}`;
    }
    return this.#changed();
  }

  /** Tries to write to a subject, with or without a reply subject. */
  async #write(machine: Machine, connection: Connection, dice: Dice): Promise<string | undefined> {
    const subject = subjectOf(dice);
    const payload = randomBytes(8).toString("hex");
    connection.publish(subject, payload);
    await connection.flush();
    await this.#setup.flush();
    const isThrough = this.#written.delete(payload);
    const { pub } = rightsOf(machine.role, FLEET, machine.name);
    if (isThrough !== pub.some((pattern) => matches(pattern, subject)))
      return `its write to ${subject} ${isThrough ? "got through against" : "was refused, which is in"} its row`;
    if (isThrough && !lets(WRITES, machine, subject)) return `it could write to ${subject}`;
    this.#count(isThrough);
    return undefined;
  }

  /** Tries to listen, with or without a queue, while messages are sent to every subject that its pattern may match. */
  async #listen(machine: Machine, connection: Connection, dice: Dice): Promise<string | undefined> {
    const pattern = listenedTo(dice);
    const heard: string[] = [];
    const options = dice.chance(0.3) ? { queue: dice.pick(["w", "q"]) } : {};
    const subscription = connection.subscribe(pattern, {
      ...options,
      callback: (error, message) => {
        if (error === null) heard.push(message.subject);
      },
    });
    await connection.flush();
    const said = Array.from({ length: 4 }, () => matchOf(pattern, dice)).filter((one) => !/^\$|^>/.test(one));
    const { sub } = rightsOf(machine.role, FLEET, machine.name);
    for (const own of sub) if (matches(pattern, matchOf(own, dice))) said.push(matchOf(own, dice));
    for (const subject of said) this.#setup.publish(subject, "said");
    await this.#setup.flush();
    await connection.flush();
    subscription.unsubscribe();
    const wrong = heard.find((subject) => !lets(HEARS, machine, subject));
    if (wrong !== undefined) return `it could hear ${wrong} by listening to ${pattern}`;
    if (sub.includes(pattern) && said.length > 0 && heard.length === 0) return `it could not listen to ${pattern}`;
    this.#count(heard.length > 0);
    return undefined;
  }

  /** Tries to read stored messages: by subject, by number, or those after another subject. */
  async #read(machine: Machine, connection: Connection, dice: Dice): Promise<string | undefined> {
    const target = dice.pick(STORED);
    const stream = dice.chance(0.8) ? streamOf(target) : dice.pick(STREAMS);
    const below = dice.pick([`.${target}`, `.${target}`, `.${target}`, `.${dice.pick(STORED)}`, ""]);
    const asked = dice.pick<object | undefined>([
      undefined,
      { seq: 1 + dice.below(20) },
      { last_by_subj: target },
      { next_by_subj: dice.pick([target, ">"]), seq: 1 },
    ]);
    const call = dice.pick(["DIRECT.GET", "DIRECT.GET", "STREAM.MSG.GET"]);
    const subject = `$JS.API.${call}.${stream}${below}`;
    const reply = `${this.#fleet.names.inbox(machine.name)}.${randomBytes(8).toString("hex")}`;
    const got: { readonly subject: string; readonly text: string }[] = [];
    let answered = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const subscription = connection.subscribe(reply, {
      callback: (_, message) => {
        got.push({ subject: message.headers?.get("Nats-Subject") ?? "", text: message.string() });
        answered();
      },
    });
    connection.publish(subject, asked === undefined ? "" : JSON.stringify(asked), { reply });
    await connection.flush();
    const { pub } = rightsOf(machine.role, FLEET, machine.name);
    // A refused request gets no answer, so a permitted one is sent after it: the server answers in order.
    if (pub.some((pattern) => matches(pattern, subject))) await Promise.race([isAnswered, sleep(5000)]);
    else await this.#setup.request(`$JS.API.DIRECT.GET.${stream}`, '{"seq":1}', { timeout: 5000 });
    await connection.flush();
    subscription.unsubscribe();
    for (const one of got) {
      const kept = /kept on (\S+)/.exec(one.text)?.[1] ?? one.subject;
      if (kept !== "" && !lets(READS, machine, kept)) return `it could read ${kept} by ${subject}`;
      if (kept !== "") this.counts.read += 1;
    }
    return undefined;
  }

  /** Tries to make the server send an answer to another machine's inbox, or to a subject that others listen to. */
  async #reply(machine: Machine, connection: Connection, dice: Dice): Promise<string | undefined> {
    const victim = dice.pick(MACHINES.filter(({ name }) => name !== machine.name));
    const inbox = `${this.#fleet.names.inbox(victim.name)}.${randomBytes(8).toString("hex")}`;
    const payload = randomBytes(8).toString("hex");
    const { pub } = rightsOf(machine.role, FLEET, machine.name);
    // A consumer would deliver messages to any subject that its creator chooses.
    const consumer = JSON.stringify({
      stream_name: dice.pick(STREAMS),
      config: { deliver_subject: inbox, deliver_policy: "all", ack_policy: "none" },
    });
    const create = `$JS.API.CONSUMER.CREATE.${dice.pick(STREAMS)}`;
    connection.publish(create, consumer, { reply: `${this.#fleet.names.inbox(machine.name)}.x` });
    connection.publish(inbox, payload);
    const allowed = pub.filter((pattern) => pattern.includes(".ask."));
    for (const pattern of allowed) connection.publish(matchOf(pattern, dice), "asked", { reply: inbox });
    await connection.flush();
    await this.#setup.flush();
    const isThrough = this.#written.delete(payload);
    if (isThrough && machine.role !== "worker") return `it could write to the inbox of ${victim.name}`;
    this.#count(isThrough);
    return undefined;
  }

  /** Returns what the server has that the fleet's owner has not created. */
  async #changed(): Promise<string | undefined> {
    const names = async (call: string, member: string): Promise<readonly string[]> => {
      const reply = await this.#setup.request(`$JS.API.${call}`, "", { timeout: 5000 });
      return (reply.json() as Readonly<Record<string, readonly string[] | null>>)[member] ?? [];
    };
    const streams = await names("STREAM.NAMES", "streams");
    if ([...streams].sort().join() !== [...STREAMS].sort().join()) return `there are other streams: ${streams}`;
    for (const stream of streams) {
      const consumers = await names(`CONSUMER.NAMES.${stream}`, "consumers");
      if (consumers.length > 0) return `${stream} has a consumer`;
    }
    return undefined;
  }

  #count(isLet: boolean): void {
    this.counts[isLet ? "let" : "refused"] += 1;
  }
}

function streamOf(subject: string): string {
  const bucket = /^\$KV\.([^.]+)/.exec(subject)?.[1];
  return bucket === undefined ? `HL_${FLEET}_DEC` : `KV_${bucket}`;
}

/** Subjects with a stored message of each machine in each stream. */
const STORED: readonly string[] = [
  ...MACHINES.flatMap(({ name }) => [`hookline.${FLEET}.dec.${name}.w1`, `$KV.hl_${FLEET}_presence.${name}`]),
  ...[1, 2, 3, 4].flatMap((n) => [`$KV.hl_${FLEET}_policy.channel.c${n}`, `$KV.hl_${FLEET}_blobs.${n}`]),
];
