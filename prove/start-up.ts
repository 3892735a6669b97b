import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf, share, type Tally } from "./stage/experiment.ts";

/** Events that do not occur in the measured run: a start loads hooks, it does not run them. */
const EVENTS = ["pre_tool_execution", "post_tool_execution", "pre_auto_compact", "post_auto_compact"];

/** The hooks that a start has to load, by kind. */
const KINDS: Readonly<Record<string, { readonly limitMs: number; write(place: Place, count: number): void }>> = {
  "command hooks": {
    limitMs: 300,
    write(place, count) {
      const each = count / EVENTS.length;
      const yaml = EVENTS.map((event) => {
        const hooks = Array.from({ length: each }, (_, i) => {
          place.write(`~/hooks/${event}-${i}.sh`, "cat > /dev/null\n");
          return `  - command: "sh ~/hooks/${event}-${i}.sh"\n    timeout: 5\n`;
        });
        return `${event}:\n${hooks.join("")}`;
      });
      place.write("~/.jdata/agent/hooks.yaml", yaml.join(""));
    },
  },
  modules: {
    limitMs: 1500,
    write(place, count) {
      const folder = place.path("~/.pi/agent/extensions");
      mkdirSync(folder, { recursive: true });
      for (let index = 0; index < count; index++) {
        const text = `const mine = ${index};\nexport default function (pi) {\n  pi.on("tool_call", (event) => (event.toolName === "never" + mine ? { block: true } : undefined));\n}\n`;
        writeFileSync(join(folder, `m${index}.js`), text);
      }
    },
  },
};

/** Measures a run with one prompt from start to end, in ms. */
async function runMs(place: Place): Promise<{ readonly ms: number; readonly problem: string | undefined }> {
  const { code, ms, err } = await runAgent(place, ["--script", place.path("script.json"), "--no-session", "-p", "go"]);
  return { ms, problem: code === 0 ? undefined : `the run ended with ${code}: ${err.slice(0, 200)}` };
}

/** R59: a thousand more hooks slow a start by no more than their limit, and none is left out. */
const manyHooks: Experiment = {
  id: "R59",
  async run(tally, { full }) {
    const rounds = full ? 30 : 2;
    const count = full ? 1000 : 200;
    for (const [name, { limitMs, write }] of Object.entries(KINDS)) {
      using empty = new Place();
      using place = new Place();
      for (const each of [empty, place]) each.write("script.json", '{"replies":[{"text":"done"}]}');
      write(place, count);
      await allRun(tally, name, place, count);
      const over: number[] = [];
      const cold = (await runMs(place)).ms;
      for (let round = 0; round < rounds; round++) {
        // The runs follow each other directly, so that both have the same conditions.
        const [without, with_] = [await runMs(empty), await runMs(place)];
        over.push(with_.ms - without.ms);
        tally.trial(with_.problem ?? without.problem);
      }
      const p50 = share(over, 0.5);
      tally.figure(
        `${count} ${name}: ${Math.round(p50)} ms p50 and ${Math.round(share(over, 0.95))} ms p95 over an empty start, first start ${Math.round(cold)} ms`,
      );
      if (full && p50 > limitMs) tally.trial(`${count} ${name} cost ${Math.round(p50)} ms at a start, not ${limitMs}`);
    }
  },
};

async function allRun(tally: Tally, name: string, place: Place, count: number): Promise<void> {
  const { out } = await runAgent(place, ["hooks", "list", "--json"]);
  const { summary } = JSON.parse(out) as { summary: { runs: number } };
  tally.trial(summary.runs === count ? undefined : `${summary.runs} of ${count} ${name} are loaded`);
}

export const claim: Claim = {
  name: "start-up",
  says: "a thousand command hooks slow a start by at most 300 ms, a thousand modules by 1.5 s, and none is left out",
  run: (size) => findingOf([manyHooks], size),
};
