import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, parseJson } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { type LlmTransport, textOf } from "@hookline/runtime";
import type { LlmCall, LlmReport } from "@hookline/runtime/engine";
import { openModels } from "../../provider/models.ts";
import { type Arguments, textFlag } from "../../start/args.ts";
import type { Place } from "../../start/place.ts";

type Ask = (call: LlmCall) => Promise<LlmReport>;

/** A token has about four characters. */
const CHARS_PER_TOKEN = 4;

/**
 * Answers the questions that hooks ask models: from the file of `--llm-cache`, then with `--live-models` from a model,
 * whose answers are added to that file. Without either, no model is asked. `spent` returns the cost.
 */
export async function modelsOf(
  args: Arguments,
  io: Io,
  place: Place,
): Promise<{ readonly llm: LlmTransport | undefined; spent(): string | undefined }> {
  const cache = cacheOf(args, io);
  const live = args.flags["live-models"] === true ? await liveModel(args, io, place) : undefined;
  if (cache === undefined && live === undefined) return { llm: undefined, spent: () => undefined };
  const llm: LlmTransport = {
    async complete(call) {
      const known = cache?.get(call);
      if (known !== undefined) return { ok: true, text: known };
      if (live === undefined)
        return { ok: false, cause: "no-model", message: "the file of answers has no answer to this question" };
      const report = await live.ask(call);
      if (report.ok) cache?.add(call, report.text);
      return report;
    },
  };
  return { llm, spent: () => live?.spent() };
}

/** Reads the file of answers, one question and its answer per line; undefined without `--llm-cache`. */
function cacheOf(
  args: Arguments,
  io: Io,
): { get(call: LlmCall): string | undefined; add(call: LlmCall, text: string): void } | undefined {
  const flag = textFlag(args, "llm-cache");
  if (flag === undefined) return undefined;
  const path = resolve(io.cwd, flag);
  const answers = new Map<string, string>();
  for (const line of linesIn(path)) {
    try {
      const { asked, text } = parseJson(line) as { readonly asked?: unknown; readonly text?: unknown };
      if (typeof asked === "string" && typeof text === "string") answers.set(asked, text);
    } catch {
      throw wrongUse(
        "--llm-cache",
        `has a line that is not JSON, in ${path}`,
        "Name a file that an earlier replay wrote.",
      );
    }
  }
  return {
    get: (call) => answers.get(keyOf(call)),
    add(call, text) {
      answers.set(keyOf(call), text);
      appendFileSync(path, `${JSON.stringify({ asked: keyOf(call), text })}\n`, { mode: 0o600 });
    },
  };
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw wrongUse("--llm-cache", `cannot be read: ${messageOf(thrown)}`, "Name a file that you may read and write.");
  }
}

/** Returns the key of a question in the file of answers: a hash of everything that the answer depends on. */
function keyOf({ model, system, prompt, temperature, maxTokens }: LlmCall): string {
  return createHash("sha256")
    .update(JSON.stringify([model ?? "", system, prompt, temperature, maxTokens]))
    .digest("hex");
}

/** Returns the model that a run here would use; its price is shown before it is asked. */
async function liveModel(args: Arguments, io: Io, place: Place): Promise<{ readonly ask: Ask; spent(): string }> {
  const flags = {
    ...given("model", textFlag(args, "model")),
    ...given("baseUrl", textFlag(args, "base-url")),
    ...given("api", textFlag(args, "api")),
    ...given("script", textFlag(args, "script")),
  };
  const { registry, model } = await openModels({ flags, env: io.env, home: place.hooklineHome });
  const { cost } = model;
  io.err(
    `Hooks ask ${model.provider}/${model.id}: $${cost.input} a million tokens in, $${cost.output} out; a question of 4,000 characters is about $${dollars((4000 / CHARS_PER_TOKEN) * cost.input + 100 * cost.output)}.\n`,
  );
  let [calls, input, output] = [0, 0, 0];
  const ask: Ask = async (call) => {
    const deadline = AbortSignal.timeout(call.timeoutMs);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    try {
      const apiKey = await registry.getApiKey(model);
      const events = registry.provider.stream(
        {
          model: call.model === undefined ? model : { ...model, id: call.model },
          systemPrompt: call.system,
          messages: [{ role: "user", content: call.prompt, timestamp: Date.now() }],
          tools: [],
          temperature: call.temperature,
          maxTokens: call.maxTokens,
        },
        { signal, purpose: "hook", ...(apiKey !== undefined && { apiKey }) },
      );
      for await (const event of events) {
        if (event.type === "error")
          return { ok: false, cause: "failed", message: event.error.errorMessage ?? "the provider failed" };
        if (event.type !== "done") continue;
        const { usage, content } = event.message;
        calls += 1;
        input += usage.input + usage.cacheRead + usage.cacheWrite;
        output += usage.output;
        return { ok: true, text: textOf(content), usage };
      }
      return { ok: false, cause: "failed", message: "the provider ended without a reply" };
    } catch (thrown) {
      return { ok: false, cause: "failed", message: messageOf(thrown) };
    }
  };
  const spent = (): string =>
    `${calls} ${calls === 1 ? "question" : "questions"} to models, ${input} tokens in and ${output} out, about $${dollars(input * cost.input + output * cost.output)}.`;
  return { ask, spent };
}

function given<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, string>);
}

function dollars(perMillion: number): string {
  return (perMillion / 1e6).toFixed(4);
}
