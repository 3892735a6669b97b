import { setImmediate as turn } from "node:timers/promises";
import { omp, pi } from "@hookline/runtime/dialects";
import { type Dice, dice } from "../stage/dice.ts";
import type { Experiment, Tally } from "../stage/experiment.ts";
import { type Handler, openStaged, type Placed } from "../stage/functions.ts";
import { newSeed } from "../stage/seed.ts";

/** R25: concurrent calls keep their own arguments and results, however long each takes. */
export const calls: Experiment = {
  id: "R25",
  async run(tally, { full }) {
    const seed = newSeed();
    const chance = dice(seed);
    const some = async (): Promise<void> => {
      for (let n = chance.below(4); n > 0; n--) await (chance.chance(0.5) ? turn() : undefined);
    };
    const before: Handler = async (event) => {
      await some();
      event.input.command += `+${event.toolCallId ?? event.id}`;
      await some();
    };
    const after: Handler = async (event) => {
      await some();
      const [{ text }] = event.content;
      return { content: [{ type: "text", text: `${text}-${event.toolCallId}` }] };
    };
    const hooks: Placed[] = ["omp", "pi"].flatMap((lane) => [
      { lane, event: "tool_call", run: before },
      { lane, event: "tool_result", run: after },
    ]);
    await using stage = await openStaged([omp, pi], hooks);
    const batches = full ? 1000 : 100;
    for (let batch = 0; batch < batches; batch++) {
      await Promise.all(
        Array.from({ length: 1 + chance.below(16) }, (_, i) =>
          one(stage.session, `${batch}.${i}`, some, tally, chance),
        ),
      );
    }
    tally.figure(`${batches} batches of up to 16 calls; seed ${seed}`);
  },
};

async function one(
  session: Awaited<ReturnType<typeof openStaged>>["session"],
  id: string,
  some: () => Promise<void>,
  tally: Tally,
  chance: Dice,
): Promise<void> {
  // A call without arguments, or with a repeated id, may only fail by itself.
  const malformed = chance.chance(0.05);
  const call = { tool: "bash", toolCallId: id, args: malformed ? {} : { command: id } };
  const { content } = await session.wrap(call, async ({ command }) => {
    await some();
    return `${command}`;
  });
  const text = content.map((block) => ("text" in block ? block.text : "")).join("");
  const wanted = `${malformed ? "undefined" : id}+${id}+${id}-${id}-${id}`;
  tally.trial(text === wanted ? undefined : `call ${id} came to ${text}`);
}
