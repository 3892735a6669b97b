import { startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { Place, type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { eventsOf, hangingModule, MODULES, REPLY, reply, SMALL, USUAL } from "./hanging/modules.ts";
import { sittings } from "./hanging/sittings.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

/** A run that has not ended after this many ms hangs. */
const PATIENCE_MS = 60_000;
const LIMITS = { handlerTimeoutMs: 300, toolCallTimeoutMs: 300 };
const PROMPTS = ["-p", "Run it", "Say more", "/compact", "/new", "And more"];

/** A way in which a handler hangs, and the required end of the run. */
interface Way {
  readonly lane: string;
  readonly name: string;
  readonly settings: object;
  readonly alive: boolean;
  /** Whether Ctrl+C is pressed once the handler hangs. */
  readonly interrupted: boolean;
  wrong(ran: Ran): string | undefined;
}

const unanswered = ({ out }: Ran): boolean => !out.includes(REPLY);

const WAYS: readonly Way[] = [
  {
    lane: "omp-hooks",
    name: "without a limit, and nothing left to happen",
    settings: SMALL,
    alive: false,
    interrupted: false,
    wrong: (ran) => (ran.code === 0 && unanswered(ran) ? "ended with 0 and no answer" : undefined),
  },
  {
    lane: "omp-hooks",
    name: "without a limit, until Ctrl+C",
    settings: SMALL,
    alive: true,
    interrupted: true,
    // When the reply is already printed, Ctrl+C skips waiting for handlers.
    wrong: (ran) =>
      ran.code === 130 || (ran.code === 0 && !unanswered(ran)) ? undefined : `ended with ${ran.code} after Ctrl+C`,
  },
  ...Object.keys(MODULES).map((lane) => ({
    lane,
    name: "with a limit",
    settings: { ...SMALL, ...LIMITS },
    alive: true,
    interrupted: false,
    wrong: (ran: Ran) =>
      ran.code === 0 && !unanswered(ran) ? undefined : `ended with ${ran.code}, and the limit let nothing go on`,
  })),
];

/** Runs the agent with one handler that hangs; undefined if the event does not occur. */
async function hang({ lane, settings, alive, interrupted }: Way, event: string): Promise<Ran | undefined> {
  using place = new Place();
  const server = await startLoopback(reply);
  place.provider(server.url);
  place.write("~/.hookline/settings.json", JSON.stringify(settings));
  place.write(MODULES[lane] as string, hangingModule(event, { alive }));
  let pressed = false;
  const late = new AbortController();
  const ran = await runAgent(place, ["--trust-project", "--model", "loop/model", ...PROMPTS], {
    watch(child, _, err) {
      late.signal.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
      if (!err.includes("hanging now")) return;
      setTimeout(() => late.abort(), PATIENCE_MS).unref();
      if (pressed || !interrupted) return;
      pressed = true;
      setTimeout(() => child.kill("SIGINT"), 200);
    },
  });
  await server.close();
  return ran.err.includes("hanging now") ? ran : undefined;
}

/** R28: whatever event a handler hangs in, a run without a person ends, and never with 0 if there was no reply. */
const runsEnd: Experiment = {
  id: "R28, print mode",
  async run(tally, { full }) {
    const codes = new Map<number | null, number>();
    const absent = new Set<string>();
    const trials = WAYS.flatMap((way) =>
      eventsOf(way.lane)
        .filter((event) => full || USUAL.test(event))
        .map((event) => ({ way, event })),
    );
    await each(trials, full ? 3 : 6, async ({ way, event }) => {
      const ran = await hang(way, event);
      if (ran === undefined) return void absent.add(`${way.lane} ${event}`);
      const problem = ran.code === null ? "did not end" : way.wrong(ran);
      tally.trial(problem && `${way.lane} ${event}, ${way.name}: ${problem}: ${ran.err.slice(-200)}`);
      codes.set(ran.code, (codes.get(ran.code) ?? 0) + 1);
    });
    tally.figure(`exit codes ${[...codes].map(([code, n]) => `${code} (${n} times)`).join(", ")}`);
    if (absent.size > 0) tally.figure(`${absent.size} events do not occur in such a run`);
  },
};

export const claim: Claim = {
  name: "hanging",
  says: "a handler that never settles holds up no run forever: its limit or the person ends it, and a run without a person then reports it with its exit code (R28)",
  run: (size) => findingOf([runsEnd, sittings], size),
};
