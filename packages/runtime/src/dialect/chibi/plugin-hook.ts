import { diagnose, place } from "../../error/diagnostic.ts";
import type { Call } from "../../hook/call.ts";
import type { ProcessReport } from "../../port/process.ts";
import { failureOf, HookFailure } from "../../run/failure.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { type Plugin, verbosity } from "./plugin.ts";
import { type Point, TIMEOUT_MS } from "./point.ts";
import { answeredBy } from "./reads.ts";
import { answerOf, outputOf } from "./report.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The handler that starts a plugin for one hook point, in the name of one of its tools. */
export function pluginHook(
  plugin: Plugin,
  point: Point,
  tool: string,
): (event: Fields, call: Call) => Promise<unknown> {
  return async function runPlugin(event, call) {
    const delivery = deliver(event, point.oversized, plugin.reads);
    const report = await start(plugin, point, delivery, call);
    if (report.stderr !== "") call.note(report.stderr);
    if (report.status === "not-started" && plugin.around.scan.files.stat(plugin.program) === undefined)
      throw new HookFailure("engine", "its file is gone", "FILE_GONE");
    const answer = read(report, point, delivery);
    if (answer === undefined) return undefined;
    return { ...withoutCut(answer, plugin, point, delivery, call), [answeredBy]: tool };
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
    // It may have missed the variable that did not fit, which is not its fault and must close a guard.
    throw new HookFailure("engine", `its data was on stdin alone, and it failed: ${message}`, "TOO_LARGE");
  }
}

/** The answer without what it says of keys that the plugin saw shortened: it would put the cut texts in force. */
function withoutCut(
  answer: Fields,
  plugin: Plugin,
  { oversized, name }: Point,
  { shortened }: Delivery,
  { hook }: Call,
): Fields {
  const within = oversized.how === "shorten" ? oversized.within : undefined;
  const edited = within === undefined ? undefined : answer[within];
  if (within === undefined || shortened.size === 0 || typeof edited !== "object" || edited === null) return answer;
  const kept = Object.entries(edited).filter(([key]) => !shortened.has(key));
  for (const key of Object.keys(edited)) {
    if (!shortened.has(key)) continue;
    const problem = "it was shown shortened, because it is too large for the environment";
    const details = { hook: hook.id, place: place(hook.source), event: name, field: `${within}.${key}`, problem };
    plugin.instance.report(diagnose("HOOK_ODD_ANSWER", details, { source: hook.source, hook: hook.id, event: name }));
  }
  return { ...answer, [within]: Object.fromEntries(kept) };
}
