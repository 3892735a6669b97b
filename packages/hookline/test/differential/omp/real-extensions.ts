/** Runs in omp's own JavaScript engine: asks the real `ExtensionRunner`, and writes down what came of it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, driveEach, modules, type Question } from "./drive.ts";
import { EXTENSION_EVENTS } from "./questions.ts";

const [, , root = "", work = ""] = process.argv;
const questions: Question[] = JSON.parse(readFileSync(join(work, "questions.json"), "utf8"));
const folder = join(work, "extensions");
mkdirSync(folder, { recursive: true });
const texts = modules(EXTENSION_EVENTS);
for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
// The package's entry first: its modules import each other in a circle.
await import(join(root, "src/index.ts"));
const { loadExtensions } = await import(join(root, "src/extensibility/extensions/loader.ts"));
const { ExtensionRunner } = await import(join(root, "src/extensibility/extensions/runner.ts"));
const loaded = await loadExtensions(
  Object.keys(texts).map((name) => join(folder, name)),
  work,
);
if (loaded.errors.length > 0) throw new Error(JSON.stringify(loaded.errors));
const session = { getCwd: () => work, getSessionId: () => "s" };
const runner = new ExtensionRunner(loaded.extensions, loaded.runtime, work, session, {});
const errors: unknown[] = [];
runner.onError(({ extensionPath, error }: any) => errors.push([extensionPath.slice(folder.length + 1), error]));

/** The method of an event that has one of its own. */
const OWN: Readonly<Record<string, (event: any) => Promise<unknown>>> = {
  tool_call: (event) => runner.emitToolCall(event),
  tool_result: (event) => runner.emitToolResult(event),
  context: ({ messages }) => runner.emitContext(messages),
  before_agent_start: ({ prompt, images, systemPrompt }) => runner.emitBeforeAgentStart(prompt, images, systemPrompt),
  input: ({ text, images, source }) => runner.emitInput(text, images, source),
  user_bash: (event) => runner.emitUserBash(event),
  user_python: (event) => runner.emitUserPython(event),
  before_provider_request: async ({ payload }) => ({ payload: await runner.emitBeforeProviderRequest(payload) }),
  after_provider_response: (event) => runner.emitAfterProviderResponse(event),
  resources_discover: async ({ cwd, reason }) => {
    const found = await runner.emitResourcesDiscover(cwd, reason);
    return Object.fromEntries(
      Object.entries(found).map(([name, list]: any) => [name, list.map((one: any) => one.path)]),
    );
  },
};

const told = await driveEach(questions, async (question, event: any) => {
  errors.length = 0;
  const emit = OWN[question.event] ?? ((given: any) => runner.emit(given));
  return { ...(await attempt(() => emit(event))), errors: [...errors] };
});
writeFileSync(join(work, "told.json"), JSON.stringify(told));
process.exit(0);
