import { type Mood, startCollector } from "../packages/hookline/test/support/collector.ts";
import { type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, repeat } from "./stage/ground.ts";
import { type Sent, wrongInHooks, wrongInSent } from "./telemetry/found.ts";
import { INHERITED, Stage } from "./telemetry/stage.ts";

/** The behaviour of a collector, and whether the person must be told. */
interface Kind {
  readonly mood: Mood;
  readonly isTold: boolean;
  /** Set if nothing listens at the collector's address when the run starts. */
  readonly isDown?: boolean;
}

// If the status says that everything was accepted, the rest of the answer does not matter.
const KINDS: Readonly<Record<string, Kind>> = {
  "takes everything": { mood: "takes", isTold: false },
  "is down": { mood: "takes", isTold: true, isDown: true },
  refuses: { mood: { status: 401 }, isTold: true },
  "is overloaded": { mood: { status: 503 }, isTold: true },
  hangs: { mood: "hangs", isTold: true },
  "answers what is no HTTP": { mood: ({ socket }) => socket?.end("\u0000garbage\r\n\r\n\u0007"), isTold: true },
  "takes everything and answers garbage": {
    mood: (response) => response.writeHead(200, { "content-type": "application/json" }).end("\u0000{]\ufffd"),
    isTold: false,
  },
  "cuts the line": { mood: ({ socket }) => socket?.destroy(), isTold: true },
  "takes everything and cuts its answer": {
    mood(response) {
      response.writeHead(200, { "content-length": "100" }).write("{", () => response.socket?.destroy());
    },
    isTold: false,
  },
};

/** Time limit in ms: telemetry may take ten seconds at the end of a run; the rest is a margin for a busy machine. */
const END_MS = 10_000 + 2000;

interface Case extends Kind {
  readonly name: string;
  readonly content: boolean;
  readonly protocol: "json" | "protobuf";
}

interface Run extends Ran {
  readonly session: string;
  /** Time from the last text on stdout to the end, in ms. */
  readonly endMs: number;
}

async function runOn(stage: Stage, env: Readonly<Record<string, string>>): Promise<Run> {
  let length = 0;
  let said = performance.now();
  const ran = await runAgent(stage.place, stage.args, {
    env: { ...stage.env, ...env },
    watch(_, out) {
      if (out.length > length) said = performance.now();
      length = out.length;
    },
  });
  return { ...ran, endMs: performance.now() - said, session: stage.session() };
}

const ABOUT_TELEMETRY = /^warning: Telemetry is not .*\n/gm;
/** Matches the warning on a machine that is too busy to send everything in time. */
const LATE = /: (?:the rest could not be sent within 10 seconds|it did not accept everything in time)\.\n/;
/** Matches a warning that any run may print on a busy machine. */
const BUSY = /^warning: This process was busy for .*\n/gm;

/** Returns differences from a run without telemetry, except for one line if the person must be told. */
function difference(without: Run, ran: Run, isTold: boolean): string | undefined {
  const lines = ran.err.match(ABOUT_TELEMETRY) ?? [];
  if (lines.length !== (isTold ? 1 : 0)) return `${lines.length} lines on stderr tell of it: ${ran.err.slice(-300)}`;
  const parts = ["code", "out", "err", "session"] as const;
  const words = (of: Run, part: (typeof parts)[number]): string =>
    String(of[part]).replace(ABOUT_TELEMETRY, "").replace(BUSY, "");
  const other = parts.find((part) => words(ran, part) !== words(without, part));
  if (other === undefined) return undefined;
  const [is, was] = [words(ran, other), words(without, other)];
  const at = [...is].findIndex((character, i) => character !== was[i]);
  const shown = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 20), at + 80));
  return `${other} differs: ${shown(is)}, and ${shown(was)} without`;
}

async function collected(of: Case): Promise<{ readonly ran: Run; readonly sent: Sent; readonly hooks: Hooks }> {
  await using stage = await Stage.open();
  await using collector = await startCollector(of.mood);
  if (of.isDown) await collector[Symbol.asyncDispose]();
  const ran = await runOn(stage, {
    ...INHERITED,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: `http/${of.protocol}`,
    ...(of.content && { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }),
  });
  return { ran, hooks: stage.environments(), sent: { ...of, received: collector.received } };
}

type Hooks = ReturnType<Stage["environments"]>;

/** The run is the same as without a collector, whatever the collector does, and secrets do not leak. */
const troubled: Experiment = {
  id: "telemetry",
  async run(tally, { full }) {
    await using plain = await Stage.open();
    const without = await runOn(plain, {});
    tally.trial(
      without.code === 0 && without.out.includes("done") ? undefined : `the run itself failed: ${without.err}`,
    );
    const ends: number[] = [];
    const cases = Object.entries(KINDS).flatMap(([name, kind]) =>
      ([false, true] as const).flatMap((content) =>
        (["json", "protobuf"] as const).map((protocol): Case => ({ name, content, protocol, ...kind })),
      ),
    );
    // The full size runs all cases ten times; the quick size runs each kind once, alternately with and without content,
    // and the first kind with both.
    const some = full ? repeat(cases, 10) : cases.filter((_, at) => at === 0 || at % 8 === 3 || at % 8 === 4);
    let whole = 0;
    await each(some, 3, async (of) => {
      const { ran, sent, hooks } = await collected(of);
      const isLate = LATE.test(ran.err);
      if (!of.isTold && !isLate) whole += 1;
      ends.push(ran.endMs);
      const found = [
        difference(without, ran, of.isTold || isLate),
        ran.endMs > END_MS ? `the end took ${Math.round(ran.endMs)} ms` : undefined,
        wrongInSent(sent, !of.isTold && !isLate),
        wrongInHooks(hooks),
      ];
      for (const problem of found)
        tally.trial(
          problem && `a collector that ${of.name}, ${of.protocol}, content ${of.content ? "on" : "off"}: ${problem}`,
        );
    });
    tally.trial(whole > 0 ? undefined : "no collector got everything in time");
    tally.figure(
      `after the reply at most ${Math.round(Math.max(...ends))} ms, without ${Math.round(without.endMs)} ms`,
    );
  },
};

export const claim: Claim = {
  name: "telemetry",
  says: "whatever a collector does, a run is the same as without one, and telemetry contains neither secrets nor unrequested content",
  run: (size) => findingOf([troubled], size),
};
