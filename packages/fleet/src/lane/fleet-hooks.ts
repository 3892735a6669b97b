import { type Call, catalog, diagnose, type Instance, type Surroundings } from "../kit.ts";
import type { Membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { type Coverage, coverageOf, isAboutTool } from "../policy/coverage.ts";
import type { Manifest } from "../policy/manifest.ts";
import type { Prepared } from "../store/follow.ts";
import { asAnswer } from "../work/as-answer.ts";
import type { LocalHooks } from "../work/hooks.ts";
import { Asker, DEADLINE_MS } from "./asker.ts";
import type { Follows, Policy } from "./policy.ts";
import { FleetAnswer, remoteRows } from "./rows.ts";

type Fields = Readonly<Record<string, unknown>>;

const PROMPT = "prompt.before";
const END = "session.end";
/** How long a replaced version stays open, in ms, so that closing it does not delay the prompt that replaced it. */
const KEEP_MS = 1000;
/** The first and last event of a run. Prompts in between belong to that run. */
const RUN = { begins: "agent.start", ends: "agent.end" } as const;
/** Events that are registered for every version. */
const FIXED: ReadonlySet<string> = new Set([PROMPT, RUN.begins, RUN.ends]);

/** One version of the policy in one session. */
interface Version {
  readonly bundle: Bundle;
  readonly covered: ReadonlyMap<string, Coverage>;
  readonly asker: Asker;
  readonly local: LocalHooks | undefined;
  /** Keys of the entries in `#registered` that this version needs. */
  readonly keys: Set<string>;
}

/** A registration of hooks, shared by the versions that need the same one. */
interface Registered {
  /** Whether a version that needs the registration is in use. Until then the hooks do not answer. */
  isUsed: boolean;
  undo(): void;
}

/** Marks a handler that every version needs, so that it always answers. */
const USED = { isUsed: true } as const;

/** Dependencies of a session's fleet hooks. */
export interface SeatParts {
  readonly policy: Policy;
  readonly membership: Membership;
  readonly around: Surroundings;
  readonly deadlineMs: number | undefined;
  /** Called with each version when it comes into use. */
  uses(manifest: Manifest): void;
}

/**
 * A fleet's hooks in one session. A new version is loaded beside the one in use, and replaces it when the next prompt
 * begins, never during a run.
 */
export class FleetHooks implements Follows {
  readonly #parts: SeatParts;
  #local: Instance | undefined;
  #remote: Instance | undefined;
  #version: Version | undefined;
  #next: Version | undefined;
  #isRunning = false;
  /** Whether the session has had a prompt. */
  #hasBegun = false;
  /** Registrations for the version in use and for the next one, by key. */
  readonly #registered = new Map<string, Registered>();
  /** Functions that close replaced versions at once; a timer calls each after `KEEP_MS` if the session goes on. */
  readonly #closing = new Set<() => void>();

  constructor(parts: SeatParts) {
    this.#parts = parts;
  }

  /** Loads the bundle in use, and registers the local hooks. Rejects if it cannot be loaded. */
  async openLocal(instance: Instance, bundle: Bundle): Promise<void> {
    this.#local = instance;
    const version = await this.#load(bundle);
    const leave = this.#parts.policy.add(this);
    instance.own(() => {
      leave();
      for (const close of this.#closing) close();
      for (const one of [this.#version, this.#next]) void one?.local?.close();
    });
    this.#registerFixed(instance);
    this.#register(version);
    this.#use(version);
    this.#parts.uses(bundle.manifest);
  }

  /** Registers the remote hooks of the version in use. */
  openRemote(instance: Instance): void {
    this.#remote = instance;
    // The prompt handlers are registered even if the policy has no remote hooks, because hookline reports a lane that
    // registers nothing as failed.
    for (const isClosed of [true, false]) this.#ask(PROMPT, isClosed, USED);
    for (const one of [this.#version, this.#next]) if (one !== undefined) this.#register(one);
    if (this.#version !== undefined) this.#use(this.#version);
  }

  async prepare(bundle: Bundle): Promise<Prepared> {
    const version = await this.#load(bundle);
    return {
      drop: () => void version.local?.close(),
      use: () => {
        void this.#next?.local?.close();
        this.#next = version;
        this.#register(version);
      },
    };
  }

  tell(problem: string): void {
    const { fleet, from } = this.#parts.membership;
    this.#local?.report(diagnose("FLEET_POLICY", { fleet, problem }, { source: { path: from, tier: "managed" } }));
  }

  async #load(bundle: Bundle): Promise<Version> {
    const { policy, membership, around, deadlineMs } = this.#parts;
    requireAskable(bundle, membership);
    const hasLocal = bundle.manifest.hooks.some(({ where }) => where === "agent");
    const { openLocalHooks } = hasLocal ? await import("../work/hooks.ts") : {};
    const asker = new Asker({
      creds: membership.creds,
      bundle,
      link: policy.link,
      clock: around.clock,
      env: around.scan.env,
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
    const covered = new Map(coverageOf(bundle.manifest).map((one) => [one.event, one]));
    const report = (one: Parameters<Instance["report"]>[0]): void => this.#local?.report(one);
    return { bundle, covered, asker, local: await openLocalHooks?.(bundle, around, report), keys: new Set() };
  }

  /**
   * Registers the handlers that every version has: they notice prompts and runs, and refuse while the policy is stale.
   */
  #registerFixed(instance: Instance): void {
    const fleet = this.#parts.membership.fleet;
    for (const { name, standIn } of catalog.values())
      if (standIn?.for === "guard")
        instance.on({
          event: name,
          name: `${fleet}:policy`,
          run: () => {
            const { refusal } = this.#parts.policy;
            return refusal && new FleetAnswer(standIn.refuse(refusal) as Fields, new Set(["deny", "stop"]), {});
          },
        });
    instance.on({
      event: END,
      name: `${fleet}:policy`,
      timeoutMs: Number.POSITIVE_INFINITY,
      run: () => this.#parts.policy.looked(),
    });
    const before: Readonly<Record<string, () => void | Promise<void>>> = {
      [PROMPT]: () => this.#newest(),
      [RUN.begins]: () => {
        this.#isRunning = true;
      },
      [RUN.ends]: () => {
        this.#isRunning = false;
      },
    };
    for (const [event, note] of Object.entries(before)) this.#hear(event, true, USED, note);
  }

  /**
   * Puts the newest version into use. At a session's first prompt it looks for one on the server first: a short session
   * has no second prompt.
   */
  #newest(): void | Promise<void> {
    if (this.#hasBegun) return this.#swap();
    this.#hasBegun = true;
    return this.#parts.policy.fresh().then(() => this.#swap());
  }

  #swap(): void {
    const next = this.#next;
    if (next === undefined || this.#isRunning) return;
    const old = this.#version?.local;
    this.#next = undefined;
    this.#use(next);
    if (old !== undefined) this.#closeLater(old);
    this.#parts.uses(next.bundle.manifest);
  }

  /** Registers the missing handlers of a version in advance, so that no prompt waits for it. `#use` turns them on. */
  #register(version: Version): void {
    for (const [key, register] of this.#needs(version)) {
      version.keys.add(key);
      if (this.#registered.has(key)) continue;
      const registered: Registered = { isUsed: false, undo: () => undo() };
      const undo = register(registered);
      this.#registered.set(key, registered);
    }
  }

  /**
   * Puts a registered version into use and undoes the registrations that it does not need. Those that both versions
   * need stay, since they look up the version in use at each event. An event that hooks are being asked about goes on
   * with the new version.
   */
  #use(version: Version): void {
    this.#version = version;
    for (const [key, registered] of this.#registered) {
      if (version.keys.has(key)) registered.isUsed = true;
      else {
        this.#registered.delete(key);
        registered.undo();
      }
    }
  }

  /** Returns the registrations that a version needs: functions that make them, by key. */
  #needs({ local, covered }: Version): Map<string, (registered: Registered) => () => void> {
    const needs = new Map<string, (registered: Registered) => () => void>();
    for (const event of local?.events.keys() ?? [])
      if (!FIXED.has(event))
        needs.set(`local ${event} ${local?.isClosed}`, (one) => this.#hear(event, local?.isClosed === true, one));
    if (this.#remote !== undefined)
      for (const { event, isClosed } of covered.values())
        if (event !== PROMPT) needs.set(`remote ${event} ${isClosed}`, (one) => this.#ask(event, isClosed, one));
    return needs;
  }

  #closeLater(local: LocalHooks): void {
    const close = (): void => {
      timer.cancel();
      this.#closing.delete(close);
      void local.close();
    };
    const timer = this.#parts.around.clock.timer(KEEP_MS, close);
    this.#closing.add(close);
  }

  /** Registers the local hooks of an event. The version in use when the event happens answers it. */
  #hear(
    event: string,
    isClosed: boolean,
    registered: Pick<Registered, "isUsed">,
    note?: () => void | Promise<void>,
  ): () => void {
    return (this.#local as Instance).on({
      event,
      name: this.#parts.membership.fleet,
      // No limit here: each local hook has its own timeout.
      timeoutMs: Number.POSITIVE_INFINITY,
      onError: isClosed ? "abort" : "skip",
      run: (payload: Fields, call) => {
        const asked = () => (registered.isUsed ? this.#askLocal(event, payload, call) : undefined);
        const noted = note?.();
        return noted instanceof Promise ? noted.then(asked) : asked();
      },
    });
  }

  #askLocal(
    event: string,
    payload: Fields,
    { signal }: Call,
  ): FleetAnswer | undefined | Promise<FleetAnswer | undefined> {
    const { local } = this.#version ?? {};
    const may = local?.events.get(event);
    if (local === undefined || may === undefined) return undefined;
    const said = ({ answer, edits }: Awaited<ReturnType<LocalHooks["ask"]>>): FleetAnswer => {
      const writers = edits.map(({ hook, field }) => [field, `fleet-local:${local.nameOf(hook)}`]);
      return new FleetAnswer(asAnswer(event, answer as Fields), may, Object.fromEntries(writers));
    };
    const outcome = local.ask(event, payload, signal);
    return outcome instanceof Promise ? outcome.then(said) : said(outcome);
  }

  /** Registers the remote hooks of an event. The version in use when the event happens answers it. */
  #ask(event: string, isClosed: boolean, registered: Pick<Registered, "isUsed">): () => void {
    const { membership, around, deadlineMs } = this.#parts;
    return (this.#remote as Instance).on({
      event,
      name: membership.fleet,
      // No limit here: the question to the worker has its own deadline.
      timeoutMs: Number.POSITIVE_INFINITY,
      transportMs: deadlineMs ?? DEADLINE_MS,
      onError: isClosed ? "abort" : "skip",
      failClosed: isClosed && canWithhold(event),
      run: (payload: Fields, call) => {
        const { covered, asker } = this.#version ?? {};
        const coverage = covered?.get(event);
        const isOther = !registered.isUsed || (event === PROMPT && coverage?.isClosed !== isClosed);
        if (coverage === undefined || isOther || !isAboutTool(coverage.tools, payload)) return undefined;
        return asker?.ask(coverage, payload, call, around.scene);
      },
    });
  }
}

/** Whether the engine withholds a text of this event if the hooks fail. False if it refuses the event instead. */
function canWithhold(event: string): boolean {
  const row = remoteRows().find(({ name }) => name === event);
  return row !== undefined && row.guard === undefined && row.withhold !== undefined;
}

/** Throws unless this machine is an agent, and each event that a hook names exists and can be asked about. */
export function requireAskable({ manifest }: Bundle, { creds }: Membership): void {
  if (creds.role !== "agent")
    throw new Error(`${creds.machine} is enrolled as ${creds.role}, and only an agent may ask`);
  const remote = new Set(remoteRows().map(({ name }) => name));
  for (const { file, events, where } of manifest.hooks)
    for (const event of events) {
      if (where === "worker" && !remote.has(event))
        throw new Error(`its hook ${file} is about ${event}, which no remote hook can be asked about`);
      if (!catalog.has(event)) throw new Error(`its hook ${file} is about ${event}, but there is no such event`);
    }
}
