import fc from "fast-check";
import type { Tier } from "../../packages/ground/src/error/diagnostic.ts";
import { makeAuthority } from "../../packages/runtime/test/http/certificates.ts";
import { answers, callOf, serve } from "../../packages/runtime/test/http/servers.ts";
import type { Experiment } from "../processes/experiment.ts";
import { each } from "../processes/ground.ts";
import { asker, inTime } from "./ground.ts";

const LIMIT_MS = 2000;
const authority = makeAuthority();
const certificate = authority.issue({ names: ["hooks.example.com"] });

const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff }).map((one) => one.toString(16));
const v4 = (...start: readonly number[]): fc.Arbitrary<string> =>
  fc.tuple(byte, byte, byte, byte).map((rest) => [...start, ...rest].slice(0, 4).join("."));
const v6 = (...start: readonly string[]): fc.Arbitrary<string> =>
  fc.array(group, { minLength: 8, maxLength: 8 }).map((rest) => [...start, ...rest].slice(0, 8).join(":"));
/** Addresses that a project must not reach by name, from every reserved block. */
const inner = fc.oneof(
  ...[v4(10), v4(127), v4(0), v4(169, 254), v4(172, 16), v4(192, 168), v4(100, 64), v4(224), v4(255)],
  ...[v6("fe80"), v6("fc00"), v6("fd00"), v6("ff02"), v6("2002"), v6("2001", "0"), v6("2001", "db8"), v6("64", "ff9b")],
  ...[fc.constantFrom("::", "::1"), v4().map((one) => `::ffff:${one}`), v4().map((one) => `64:ff9b::${one}`)],
);
// Unassigned addresses, so that a faulty check cannot connect to anybody.
const outer = fc.constantFrom<string>("2e00::1", "3000::8:1");

/** Answers of a name server with at least one inner address, at a random position. */
const mixed = fc.tuple(fc.array(outer, { maxLength: 3 }), inner, fc.nat(3)).map(([others, one, at]) => {
  const list: string[] = [...others];
  list.splice(Math.min(at, list.length), 0, one);
  return list;
});

/**
 * A name server that resolves a project's URL to an inner address: as its only address, among good addresses, or in its
 * second answer.
 */
export const rebinding: Experiment = {
  id: "R56, names that lead inside",
  paths: [],
  async run(tally, { full }) {
    const lists = fc.sample(mixed, full ? 3000 : 200);
    await each(lists, 16, async (addresses) => {
      await using transport = asker({ resolve: async () => addresses.map((address) => ({ address })) });
      for (const tier of ["project", "session"] as const) {
        const report = await inTime(transport.ask(callOf("https://hooks.example.com/", { tier })), LIMIT_MS);
        const was = report?.status ?? "hanging";
        tally.trial(was === "refused" ? undefined : `a ${tier} asked ${addresses.join(", ")}: ${was}`);
      }
    });
    for (const tier of ["user", "builtin"] as const) tally.trial(await secondAnswer(tier));
  },
};

/** Checks a name server whose first answer is good and whose later answers are inner addresses. */
async function secondAnswer(tier: Tier): Promise<string | undefined> {
  await using server = await serve(answers({}), certificate);
  await using trap = await serve(answers("trapped"), certificate, "127.0.0.2", server.port);
  let asked = 0;
  const resolve = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "127.0.0.2" }];
  await using transport = asker({ ca: [authority.ca], resolve });
  for (let i = 0; i < 5; i++) {
    const url = `https://hooks.example.com:${server.port}/`;
    const report = await inTime(transport.ask(callOf(url, { tier })), LIMIT_MS);
    if (report?.body !== "{}" || trap.connections > 0) return `a ${tier} was led elsewhere after the look-up`;
  }
  return asked === 1 ? undefined : `one connection asked the name server ${asked} times`;
}
