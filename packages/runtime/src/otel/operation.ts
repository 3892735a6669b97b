import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Message } from "../catalog/message.ts";
import type { Moment, Operation, OperationContent, OperationEnd, OperationStart } from "../run/observer.ts";
import { finishReason, messagesText, systemText } from "./content.ts";
import { GEN_AI, GENERAL, OPERATIONS, PROVIDERS, SCOPE } from "./names.ts";
import { sceneAttributes } from "./scene.ts";
import type { Signals } from "./signals.ts";

/** Reports an operation of the host as a span, and a request also as measurements. */
export class OperationSpan implements Operation {
  readonly wantsContent: boolean;
  readonly #signals: Signals;
  readonly #about: OperationStart;
  readonly #attributes: Attributes;
  readonly #now: () => number;
  readonly #beganAt: number;
  readonly #span: Span | undefined;
  readonly #context: Context;
  #endedAt: number | undefined;

  constructor(signals: Signals, about: OperationStart, { scene, clock }: Moment, epochMs: number, content: boolean) {
    this.#signals = signals;
    this.#about = about;
    this.#attributes = attributesOf(about);
    this.#now = () => epochMs + clock.now();
    this.#beganAt = this.#now();
    const parent = signals.contexts.active();
    this.#span = signals.tracer?.startSpan(
      nameOf(about, scene.agentType),
      {
        kind: about.kind === "request" ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime: this.#beganAt,
        attributes: { ...this.#attributes, ...sceneAttributes(scene) },
      },
      parent,
    );
    this.#context = this.#span === undefined ? parent : trace.setSpan(parent, this.#span);
    this.wantsContent = content && this.#span?.isRecording() === true;
  }

  within<T>(work: () => T): T {
    return this.#signals.contexts.with(this.#context, work);
  }

  end(end: OperationEnd = {}): void {
    if (this.#endedAt !== undefined) return;
    this.#endedAt = this.#now();
    const { error, model, responseId, finishReason: reason, usage } = end;
    const input = usage && usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
    this.#span?.setAttributes({
      ...(error !== undefined && { [GENERAL.error]: error }),
      ...(model !== undefined && { [GEN_AI.responseModel]: model }),
      ...(responseId !== undefined && { [GEN_AI.responseId]: responseId }),
      ...(reason !== undefined && { [GEN_AI.finishReasons]: [finishReason(reason)] }),
      ...(usage !== undefined && {
        [GEN_AI.inputTokens]: input,
        [GEN_AI.outputTokens]: usage.output,
        [GEN_AI.cacheRead]: usage.cacheRead,
        [GEN_AI.cacheWrite]: usage.cacheWrite,
      }),
    });
    if (error !== undefined) this.#span?.setStatus({ code: SpanStatusCode.ERROR });
    const { instruments } = this.#signals;
    if (instruments === undefined || this.#about.kind !== "request") return;
    const about: Attributes = {
      ...measured(this.#attributes),
      ...(model !== undefined && { [GEN_AI.responseModel]: model }),
    };
    const failed = error === undefined ? {} : { [GENERAL.error]: error };
    instruments.operationDuration.record((this.#endedAt - this.#beganAt) / 1000, { ...about, ...failed });
    if (usage === undefined) return;
    instruments.tokenUsage.record(input ?? 0, { ...about, [GEN_AI.tokenType]: "input" });
    instruments.tokenUsage.record(usage.output, { ...about, [GEN_AI.tokenType]: "output" });
  }

  content({ system, input, output, args, result }: OperationContent): void {
    if (!this.wantsContent) return;
    this.#span?.setAttributes({
      ...(system !== undefined && { [GEN_AI.system]: systemText(system) }),
      ...(input !== undefined && { [GEN_AI.input]: messagesText(input as readonly Message[]) }),
      ...(output !== undefined && { [GEN_AI.output]: messagesText(output as readonly Message[]) }),
      ...(args !== undefined && { [GEN_AI.toolArguments]: JSON.stringify(args) }),
      ...(result !== undefined && { [GEN_AI.toolResult]: JSON.stringify(result) }),
    });
  }

  close(): void {
    this.end();
    this.#span?.end(this.#endedAt);
  }
}

function nameOf(about: OperationStart, agent: string = SCOPE): string {
  const name = OPERATIONS[about.kind];
  if (about.kind === "prompt") return `${name} ${agent}`;
  return `${name} ${about.kind === "request" ? about.model : about.tool}`;
}

function attributesOf(about: OperationStart): Attributes {
  const operation = { [GEN_AI.operation]: OPERATIONS[about.kind] };
  if (about.kind === "call")
    return {
      ...operation,
      [GEN_AI.tool]: about.tool,
      [GEN_AI.toolCall]: about.toolCallId,
      [GEN_AI.toolType]: about.type ?? "function",
    };
  const model = {
    ...(about.provider !== undefined && { [GEN_AI.provider]: PROVIDERS[about.provider] ?? about.provider }),
    ...(about.model !== undefined && { [GEN_AI.requestModel]: about.model }),
  };
  if (about.kind === "prompt") return { ...operation, [GEN_AI.agent]: SCOPE, ...model };
  return {
    ...operation,
    ...model,
    [GEN_AI.stream]: true,
    ...(about.maxTokens !== undefined && { [GEN_AI.maxTokens]: about.maxTokens }),
    ...(about.temperature !== undefined && { [GEN_AI.temperature]: about.temperature }),
    ...serverOf(about.url),
  };
}

function serverOf(url = ""): Attributes {
  const read = URL.parse(url);
  if (read === null || read.hostname === "") return {};
  const port = read.port === "" ? (read.protocol === "http:" ? 80 : 443) : Number(read.port);
  return { [GENERAL.address]: read.hostname, [GENERAL.port]: port };
}

/** The attributes of measurements of requests; each has only a few possible values. */
const MEASURED: readonly string[] = [
  GEN_AI.operation,
  GEN_AI.provider,
  GEN_AI.requestModel,
  GENERAL.address,
  GENERAL.port,
];

function measured(attributes: Attributes): Attributes {
  const kept: Attributes = {};
  for (const name of MEASURED) if (attributes[name] !== undefined) kept[name] = attributes[name];
  return kept;
}
