import type { Fields } from "@hookline/ground";
import { type Call, diagnose, HookFailure, isObject, type ProcessReport, place } from "@hookline/runtime/dialect";
import { type BodyLack, failureOf } from "@hookline/runtime/engine";
import { type Delivery, deliver } from "./delivery.ts";
import { type Plugin, verbosity } from "./plugin.ts";
import { type Point, TIMEOUT_MS } from "./point.ts";
import { answeredBy } from "./reads.ts";
import { answerOf, outputOf } from "./report.ts";

/** Returns the handler that runs a plugin for one hook point. `tool` is the plugin's tool that listed the point. */
export function pluginHook(
  plugin: Plugin,
  point: Point,
  tool: string,
): (event: Fields, call: Call) => Promise<unknown> {
  const tell = teller(plugin, point);
  return async function runPlugin(event, call) {
    const delivery = deliver(event, point.oversized, plugin.reads);
    const report = await start(plugin, point, delivery, call);
    if (report.stderr !== "") call.note(report.stderr);
    if (report.status === "not-started" && plugin.around.scan.files.stat(plugin.program) === undefined)
      throw new HookFailure("engine", "its file is gone", "FILE_GONE");
    const answer = read(report, point, delivery);
    if (answer === undefined) return undefined;
    const whole = withoutCut(answer, point, delivery, (field, problem) =>
      tell(call, "HOOK_ODD_ANSWER", field, problem),
    );
    const sent = withoutLost(whole, plugin, point, event, (lack, field) =>
      tell(call, lack.sent ? "HOOK_RAW_KEY" : "HOOK_ODD_ANSWER", field, lack.because, true),
    );
    return { ...sent, [answeredBy]: tool };
  };
}

/**
 * Returns a function that reports a problem with a field of an answer. With `once`, a repeated problem is reported
 * once.
 */
function teller({ instance }: Plugin, { name }: Point) {
  const told = new Set<string>();
  return ({ hook }: Call, code: "HOOK_ODD_ANSWER" | "HOOK_RAW_KEY", field: string, problem: string, once = false) => {
    const key = `${field} ${problem}`;
    if (once && told.has(key)) return;
    told.add(key);
    const details = { hook: hook.id, place: place(hook.source), event: name, field, problem };
    instance.report(diagnose(code, details, { source: hook.source, hook: hook.id, event: name }));
  };
}

function start(plugin: Plugin, point: Point, { variable, stdin }: Delivery, call: Call): Promise<ProcessReport> {
  const { scene, transports } = plugin.around;
  return transports.process.run({
    command: { file: plugin.program, args: [] },
    cwd: scene.cwd,
    tier: plugin.source.tier,
    env: {
      CHIBI_HOOK: point.name,
      ...(variable !== undefined && { CHIBI_HOOK_DATA: variable }),
      ...verbosity(plugin.around),
      ...(call.pass === 2 && { HOOKLINE_RECHECK: "1" }),
    },
    ...(call.trace !== undefined && { trace: call.trace }),
    stdin,
    timeoutMs: TIMEOUT_MS,
    signal: call.signal,
    label: `${plugin.source.path} (${point.name})`,
  });
}

function read(report: ProcessReport, point: Point, { variable }: Delivery): Fields | undefined {
  try {
    const output = outputOf(report, TIMEOUT_MS);
    return point.kind === "observe" || point.kind === "shutdown" ? undefined : answerOf(output);
  } catch (thrown) {
    const { cause, message } = failureOf(thrown);
    if (variable !== undefined || (cause !== "exited" && cause !== "bad")) throw thrown;
    // The event was too large for `CHIBI_HOOK_DATA`, which may be why the plugin failed, so hookline is to blame.
    throw new HookFailure("engine", `it failed with the data on stdin only: ${message}`, "TOO_LARGE");
  }
}

/** Drops edits of values that the plugin saw only shortened, so that no shortened value takes effect. */
function withoutCut(
  answer: Fields,
  { oversized }: Point,
  { shortened }: Delivery,
  tell: (field: string, problem: string) => void,
): Fields {
  const within = oversized.how === "shorten" ? oversized.within : undefined;
  const edited = within === undefined ? undefined : answer[within];
  if (within === undefined || shortened.size === 0 || !isFields(edited)) return answer;
  for (const key of Object.keys(edited))
    if (shortened.has(key))
      tell(`${within}.${key}`, "the hook saw it shortened, because it is too large for the environment");
  return { ...answer, [within]: without(edited, (key) => shortened.has(key)) };
}

/** Drops edited keys that cannot be sent to the model's provider, and the whole field if no other key is left. */
function withoutLost(
  answer: Fields,
  { around }: Plugin,
  { sent }: Point,
  event: Fields,
  tell: (lack: BodyLack, field: string) => void,
): Fields {
  const edited = sent === undefined ? undefined : answer[sent.field];
  if (sent === undefined || !isFields(edited)) return answer;
  const lacking = sent.lackingIn(edited, event[sent.field] as Fields, around.scene);
  for (const [key, lack] of lacking)
    tell(lack, /^[\w-]{1,64}$/.test(key) ? `${sent.field}.${key}` : `a key of ${sent.field}`);
  const kept = without(edited, (key) => lacking.get(key)?.sent === false);
  if (Object.keys(kept).length > 0) return { ...answer, [sent.field]: kept };
  return without(answer, (key) => key === sent.field);
}

function isFields(value: unknown): value is Fields {
  return isObject(value);
}

function without(fields: Fields, drops: (key: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !drops(key)));
}
