import { createRuntime, type Session } from "@hookline/runtime";
import { NO_HOME } from "../../scripts/no-home.ts";
import { identityOf } from "./identity.ts";
import { type Context, dialectOf, POINTS, pathOf } from "./lane.ts";
import { type Combined, type Composition, foldOf, type Said } from "./profile.ts";
import { at, type Resolution, type Rule, type Vector } from "./vector.ts";
import { hostError, problemOf, transformed, type Verdict } from "./verdict.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The capabilities that hookline claims; a vector that needs another one is left out. */
export const CAPABILITIES: readonly string[] = ["model_calls", "tool_calls"];

/** The records and calls of a host that has run a vector, for its judge. */
export interface Ran {
  readonly interceptions: readonly Context[];
  readonly records: readonly Fields[];
  readonly invocations: readonly { readonly name: string; readonly args: Fields }[];
  readonly output: string | null;
  readonly outcome: "completed" | "blocked";
}

/** One moment between its begin and its record. */
interface Emission {
  readonly point: string;
  readonly context: Context | undefined;
  readonly sequence: number;
  readonly said: Said[];
  combined?: Combined;
  resolved?: { readonly verdict: Verdict; readonly by: "approval" | "rejection"; readonly target?: unknown };
}

/**
 * A host with a scripted model and scripted tools around hookline's own dispatch: the interceptors are hooks of a lane,
 * calls go through `wrap`, the approver is the person of `ui.approve`. The standard's records are projections of what
 * the dispatch has had.
 */
export class Host {
  readonly #vector: Vector;
  readonly #composition: Composition;
  readonly #interceptions: Context[] = [];
  readonly #records: Fields[] = [];
  readonly #invocations: { readonly name: string; readonly args: Fields }[] = [];
  readonly #messages: Fields[] = [];
  #sequence = 0;
  #now: Emission | undefined;

  constructor(vector: Vector) {
    this.#vector = vector;
    this.#composition = vector.composition ?? { profile: "sequential/first_deny" };
  }

  async run(): Promise<Ran> {
    const { interceptors, mode } = this.#vector;
    const runtime = createRuntime({
      dialects: [dialectOf(this.#asLane(), interceptors.length)],
      home: NO_HOME,
      env: {},
    });
    try {
      const session = await runtime.open({
        scene: { sessionId: "session-1", cwd: "/" },
        settings: mode === "evaluate_only" ? { shadow: interceptors.map((_, index) => pathOf(index)) } : {},
        ...(this.#vector.approvals.length > 0 && { services: { ui: { approve: this.#approve } } }),
        onDiagnostic: () => {},
      });
      const output = await this.#live(session);
      await this.#emit(session, "session.end", {
        reason: "quit",
        summary: output === undefined ? "error" : "completed",
      });
      return {
        interceptions: this.#interceptions,
        records: this.#records,
        invocations: this.#invocations,
        output: output ?? null,
        outcome: output === undefined ? "blocked" : "completed",
      };
    } finally {
      await runtime.close();
    }
  }

  /** One session from its start to the reply; nothing if it was blocked. */
  async #live(session: Session): Promise<string | undefined> {
    const { scenario } = this.#vector;
    const tools = scenario.tools.map(({ name }) => name);
    if ((await this.#emit(session, "session.start", { reason: "startup", tools }))["halt"] !== undefined)
      return undefined;
    const input = await this.#emit(session, "prompt.before", { text: scenario.input.content });
    if (input["stop"]) return undefined;
    this.#messages.push({ role: "user", content: input["text"] ?? scenario.input.content });
    for (const { respond } of scenario.model_script) {
      if ((await this.#emit(session, "model.context", { messages: this.#messages, systemPrompt: "" }))["stop"])
        return undefined;
      const toolCalls = respond.tool_calls.map(({ id, name, args }) => ({
        type: "toolCall",
        id,
        name,
        arguments: args,
      }));
      const finishReason = respond.finish_reason === "tool_calls" ? "toolUse" : respond.finish_reason;
      const reply = { text: respond.content ?? "", toolCalls, finishReason };
      const response = await this.#emit(session, "model.response", reply);
      if (response["stop"]) return undefined;
      const text = (response["text"] as string | undefined) ?? reply.text;
      this.#messages.push({ role: "assistant", content: text });
      if (respond.tool_calls.length === 0) {
        const judged = await this.#emit(session, "reply.before", { text });
        return judged["stop"] ? undefined : ((judged["text"] as string | undefined) ?? text);
      }
      for (const call of respond.tool_calls) await this.#call(session, call);
    }
    return "";
  }

  async #call(session: Session, { id, name, args }: { id: string; name: string; args: Fields }): Promise<void> {
    this.#unheard(session, "tool.before", { toolCallId: id, tool: name, args });
    const { content } = await session.wrap({ tool: name, toolCallId: id, args }, (given) => {
      this.#invocations.push({ name, args: given });
      const { behavior = [] } = this.#vector.scenario.tools.find((tool) => tool.name === name) ?? {};
      const found = behavior.find(({ when_args }) => when_args === undefined || same(when_args, given));
      const value = found?.return ?? null;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return { content: [{ type: "text", text }], details: { value }, isError: found?.is_error ?? false };
    });
    await session.shadowsSettled();
    this.#close();
    this.#messages.push({
      role: "tool",
      content: content.map((block) => ("text" in block ? block.text : "")).join(""),
    });
  }

  async #emit(session: Session, event: string, payload: Fields): Promise<Fields> {
    if (this.#unheard(session, event, payload)) return this.#isEnforced ? { stop: true, halt: {} } : {};
    // Fields that only the lane knows are no part of the event.
    const { tools, summary, ...told } = payload;
    this.#told = { tools, summary };
    const { answer } = await session.emit(event as "session.end", told as never);
    await session.shadowsSettled();
    this.#close();
    return answer;
  }

  #told: Fields = {};

  get #isEnforced(): boolean {
    return this.#vector.mode !== "evaluate_only";
  }

  /** A moment without interceptors is denied by name; whether that refuses it depends on the mode. */
  #unheard(session: Session, event: string, payload: Fields): boolean {
    if (this.#vector.interceptors.length > 0 || session.has(event as "session.end")) return false;
    const point = POINTS.find(({ of }) => of === event);
    if (point === undefined) return true;
    this.#now = {
      point: point.name,
      context: this.#made(point.name, payload, point.target(payload)),
      sequence: this.#sequence++,
      said: [],
    };
    this.#now.combined = { verdict: hostError("no_interceptor"), decidedBy: null, said: [], liftable: [] };
    this.#close();
    return true;
  }

  // ---- what the lane asks

  #asLane(): Parameters<typeof dialectOf>[0] {
    return {
      composition: this.#composition,
      context: (point, payload, target) => {
        const heard = { ...payload, ...this.#told };
        const own = POINTS.find(({ name }) => name === point)?.target(heard) ?? target;
        if (this.#now?.point === point) return this.#made(point, heard, own, this.#now.sequence);
        this.#close();
        const sequence = this.#sequence++;
        this.#now = { point, context: undefined, sequence, said: [] };
        const context = this.#made(point, heard, own, sequence);
        this.#identity(context);
        this.#now = { ...this.#now, context };
        this.#interceptions.push(context);
        return context;
      },
      combined: (combined) => {
        // The engine also asks for what single verdicts would make of a call.
        const known = this.#now?.combined?.said.length ?? 0;
        if (this.#now !== undefined && combined.said.length > known) this.#now.combined = combined;
      },
      ask: (index, event) => {
        const said = this.#ask(index, event);
        // An interceptor that is asked again about a changed call has said it already.
        const { said: all = [] } = this.#now ?? {};
        if (!all.some((one) => one.index === index)) all.push(said);
        return said;
      },
    };
  }

  #ask(index: number, event: Context): Said {
    const context = { ...structuredClone(event), ...placed(event) } as Context;
    const rules = this.#vector.interceptors[index] ?? [];
    const rule = rules.find(({ at: point, match }) => point === event["interception_point"] && matches(context, match));
    const failed = { index, verdict: hostError("interceptor_failed") };
    if (rule?.fault === "raise") {
      this.#now?.said.push(failed);
      throw new Error("ctk:raised");
    }
    if (rule?.fault === "mutate") {
      Object.assign(context.target as object, { url: "ctk:mutated" });
      return { index, verdict: { decision: "allow", reason: "ctk:mutated" } };
    }
    if (rule?.fault === "malformed_verdict") return { index, verdict: { decision: "perhaps" } as never };
    const verdict = rule?.return ?? { decision: "allow" };
    if (problemOf(verdict) !== undefined || verdict.transform == null) return { index, verdict };
    const isFixed = event["interception_point"] === "agent_startup" || event["interception_point"] === "agent_shutdown";
    const made = isFixed
      ? ({ error: "transform_target_forbidden" } as const)
      : transformed(event.target, verdict.transform);
    if ("error" in made) return { index, verdict: hostError(made.error), isUnapplied: true };
    return { index, verdict, target: made.target };
  }

  #made(point: string, payload: Fields, target: unknown, sequence = this.#sequence): Context {
    const { toolCallId: id, tool: name, args } = payload;
    return {
      spec: "agent-hooks/0.1",
      interception_point: point,
      timestamp: "2026-01-01T00:00:00.000Z",
      sequence,
      agent: { id: "hookline", framework: "hookline" },
      session: { id: "session-1" },
      ...(point.endsWith("_model_call") && { model: { id: "scripted" } }),
      ...(point.endsWith("_tool_call") && { tool_call: { id, name, args } }),
      ...(point === "post_tool_call" && { tool_result: { is_error: payload["isError"] } }),
      target,
      ...placed({
        interception_point: point,
        target,
        tool_call: { id, name, args },
        tool_result: { is_error: payload["isError"] },
      }),
    };
  }

  #identity(context: Context): string | null {
    const { identityProvider } = this.#vector;
    if (identityProvider === null) return null;
    if (identityProvider !== "jcs-sha256") throw new Error(`the provider ${identityProvider} has failed`);
    return identityOf(context);
  }

  // ---- approval

  readonly #approve = async (
    _title: string,
    _message: string,
    args: Fields,
  ): Promise<{ approved: boolean; reason?: string; args?: Fields }> => {
    const now = this.#now as Emission;
    const { liftable = [] } = now.combined ?? {};
    let given = args;
    let permit: Verdict = { decision: "allow" };
    for (const verdict of liftable) {
      const shown = this.#shown({ ...(now.context as Context), target: given });
      const { verdict: said, isPermit, target } = this.#resolve(shown, verdict, given);
      if (!isPermit) {
        now.resolved = { verdict: said, by: said.reason === "host_error:transform_invalid" ? "approval" : "rejection" };
        return { approved: false, reason: said.reason ?? "rejected" };
      }
      permit = said;
      given = (target as Fields | undefined) ?? given;
    }
    const changed = (now.combined as Combined).said.findLast(({ verdict }) => verdict.decision === "transform");
    const isResumed =
      this.#composition.on_approval === "resume" && permit.decision === "allow" && changed !== undefined;
    now.resolved = { verdict: isResumed ? changed.verdict : permit, by: "approval", target: given };
    return { approved: true, ...(given !== args && { args: given }) };
  };

  /** The context as an approver is shown it. */
  #shown(context: Context): Context {
    let { target } = context;
    for (const path of this.#vector.redacts) {
      const made = transformed(target, { path, value: "[redacted]" });
      if ("target" in made) ({ target } = made);
    }
    return { ...context, ...placed({ ...context, target }), target } as Context;
  }

  #resolve(shown: Context, verdict: Verdict, args: Fields): { verdict: Verdict; isPermit: boolean; target?: unknown } {
    const refused = (name: string) => ({ verdict: hostError(name), isPermit: false });
    const rule = this.#vector.approvals.find(({ match }) => matches(shown, match));
    const resolution: Resolution | undefined = rule?.resolve;
    if (rule === undefined) return { verdict, isPermit: false };
    if (resolution === undefined) return refused("approval_resolver_failed");
    const identity = this.#identity(shown);
    if ((resolution.identity_override ?? identity) !== identity) return refused("approval_identity_mismatch");
    if (resolution.outcome === "unresolved") return refused("approval_unresolved");
    const said = resolution.verdict;
    if (said === undefined) return refused("approval_resolver_failed");
    const permits = said.decision !== "deny";
    if (problemOf(said) !== undefined || permits !== (resolution.outcome === "approve"))
      return refused("verdict_invalid");
    if (!permits) return { verdict: said, isPermit: false };
    if (said.transform == null) return { verdict: said, isPermit: true };
    const made = transformed(args, said.transform);
    return "error" in made ? refused(made.error) : { verdict: said, isPermit: true, target: made.target };
  }

  // ---- records

  /** Writes the record of the moment that has ended. */
  #close(): void {
    const now = this.#now;
    this.#now = undefined;
    if (now === undefined) return;
    const combined = now.combined ?? combinedOf(this.#composition, now);
    const { verdict, said } = combined;
    const final = now.context === undefined ? hostError("context_invalid") : (now.resolved?.verdict ?? verdict);
    const target = now.resolved?.target ?? combined.target;
    const isDenied = final.decision === "deny";
    const enforced =
      isDenied || target === undefined || !this.#isEnforced ? now.context : withTarget(now.context, target);
    this.#records.push({
      interception_point: now.point,
      mode: this.#vector.mode,
      verdict: projected(final, said, isDenied),
      input_identity: this.#safely(now.context),
      enforced_identity: this.#safely(enforced),
      identity_provider: this.#vector.identityProvider,
      session_id: "session-1",
      sequence: now.sequence,
      timestamp: "2026-01-01T00:00:00.000Z",
      decided_by: now.context === undefined ? null : combined.decidedBy,
      composition: knobs(this.#composition),
      verdicts: said.map(({ index, verdict: { decision, reason } }) => ({
        index,
        decision,
        ...(reason && { reason }),
      })),
      fold_truncated: said.length < this.#vector.interceptors.length,
      ...(now.resolved !== undefined && { resolved_by: now.resolved.by }),
      interceptors_registered: this.#vector.interceptors.length,
    });
  }

  #safely(context: Context | undefined): string | null {
    try {
      return context === undefined ? null : this.#identity(context);
    } catch {
      return null;
    }
  }
}

/** The verdicts of a moment that the dispatch has not combined: nobody's counted, or all allowed. */
function combinedOf(composition: Composition, { said }: Emission): Combined {
  const fold = foldOf(composition);
  const all = said.toSorted((a, b) => a.index - b.index);
  const state = all.reduce<unknown>((before, one) => fold.step(before, one), fold.empty);
  return fold.result(state) ?? { verdict: { decision: "allow" }, decidedBy: null, said: [], liftable: [] };
}

/** The member of a context that holds its target. */
function placed(context: Fields): Fields {
  const { holds } = POINTS.find(({ name }) => name === context["interception_point"]) ?? {};
  if (holds === undefined) return {};
  const [member, inner] = holds;
  return {
    [member]: inner === undefined ? context["target"] : { ...(context[member] as Fields), [inner]: context["target"] },
  };
}

function withTarget(context: Context | undefined, target: unknown): Context | undefined {
  return context && ({ ...context, ...placed({ ...context, target }), target } as Context);
}

function matches(context: Fields, match: Rule["match"] = {}): boolean {
  return Object.entries(match).every(([path, value]) => same(at(context, path), value));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A verdict without values, with the warnings of all and the labels of those who permit. */
function projected({ transform, approval, ...verdict }: Verdict, said: readonly Said[], isDenied: boolean): Fields {
  const warnings = said.flatMap((one) => one.verdict.warnings ?? []);
  const labels = said.flatMap(({ verdict: { decision, result_labels = [] } }) =>
    decision === "deny" ? [] : result_labels,
  );
  return {
    ...verdict,
    ...(verdict.message !== undefined && { message: cut(verdict.message) }),
    ...(transform != null && { transform: { path: transform.path } }),
    ...(approval != null && { approval: {} }),
    ...(warnings.length > 0 && {
      warnings: warnings.filter((one, n) => warnings.findIndex((two) => same(one, two)) === n),
    }),
    result_labels: isDenied ? [] : [...new Set(labels)],
  };
}

const cut = (text: string): string => (Buffer.byteLength(text) > 256 ? `${text.slice(0, 253)}…` : text);

/** A profile with the knobs that it consults. */
function knobs({
  profile,
  on_approval = "stop",
  on_transform_conflict = "deny",
  on_disagreement = "deny",
}: Composition): Fields {
  switch (profile) {
    case "sequential/first_deny":
      return { profile, on_approval };
    case "sequential/run_all":
      return { profile };
    case "parallel/strictest":
      return { profile, on_transform_conflict };
    case "parallel/unanimous":
      return { profile, on_disagreement };
  }
}
