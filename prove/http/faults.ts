import type { HttpReport } from "../../packages/runtime/src/port/http.ts";
import { MAX_BODY_BYTES } from "../../packages/runtime/src/transport/http/exchange.ts";
import { makeAuthority } from "../../packages/runtime/test/http/certificates.ts";
import { answers, callOf, serve } from "../../packages/runtime/test/http/servers.ts";
import type { Experiment } from "../processes/experiment.ts";
import { each, repeat } from "../processes/ground.ts";
import { asker, inTime, isLeft } from "./ground.ts";
import { FAULTS, type Fault } from "./servers.ts";

/**
 * Time limit in ms of calls that a server does not answer; the other calls end by themselves, however busy the machine
 * is.
 */
const LIMIT_MS = 2000;
const LONG_MS = 30_000;
const authority = makeAuthority();
const good = authority.issue({ names: ["localhost"] });

/** Calls a server with a fault, then a good one over the same transport; returns any wrong outcome. */
async function trial(fault: Fault): Promise<string | undefined> {
  await using elsewhere = await serve(answers({}));
  await using healthy = await serve(answers({ fine: true }), good);
  await using faulty = await fault.start(authority, elsewhere.url);
  await using transport = asker({ ca: [authority.ca] });
  const limitMs = fault.ends === "timed-out" ? LIMIT_MS : LONG_MS;
  // Twice, because the first call may leave something behind that disturbs the second.
  for (const time of ["first", "second"]) {
    const report = await inTime(transport.ask(callOf(faulty.url, { timeoutMs: limitMs })), limitMs);
    const problem = problemOf(report, fault);
    if (problem !== undefined) return `the ${time} call ${problem}`;
  }
  if (elsewhere.connections > 0) return "a redirect was followed";
  if (fault.ends !== "answered" && !(await isLeft(faulty))) return "a connection was left open";
  const after = await inTime(transport.ask(callOf(healthy.url)), LONG_MS);
  return after?.body === '{"fine":true}' ? undefined : `a good server was then ${after?.status ?? "hanging"}`;
}

function problemOf(report: HttpReport | undefined, { ends, httpStatus }: Fault): string | undefined {
  if (report === undefined) return "outlived its limit";
  if (report.status !== ends) return `was ${report.status}, not ${ends}: ${report.problem}`;
  if (report.httpStatus !== httpStatus) return `had the status ${report.httpStatus}, not ${httpStatus}`;
  if (report.body.length > MAX_BODY_BYTES || (ends !== "answered" && report.body !== "")) return "let a body in";
  return (report.problem === undefined) === (ends === "answered") ? undefined : "has a problem, or none";
}

/** Every fault, several times. */
export const everyFault: Experiment = {
  id: "R56",
  paths: [],
  async run(tally, { full }) {
    const names = Object.keys(FAULTS);
    await each(repeat(names, full ? 20 : 1), 4, async (name) => {
      const problem = await trial(FAULTS[name] as Fault);
      tally.trial(problem && `a server that ${name}: ${problem}`);
    });
    tally.figure(`${names.length} faults, each asked twice in a row`);
  },
};
