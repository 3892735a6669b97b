import { existsSync, readFileSync } from "node:fs";
import { startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

/** The most retries that hooks may ask for in one prompt. Source: ruling 5. */
const CAP = 5;

const yaml = (event: string, answer: string): string => `${event}:\n  - command: echo '${answer}'\n    timeout: 5\n`;
const stopWith = (text: string): string => `{"action":"stop","retry_feedback":"${text}"}`;
const pi = (event: string, answer: string): string => `export default (pi) => pi.on("${event}", () => (${answer}));\n`;
const more =
  '{ continue: true, entries: [{ type: "custom_message", customType: "more", content: "more", display: true }] }';
const omp = `let n = 0;
export default (omp) => omp.on("session_stop", () => ({ continue: true, decision: "block", reason: "again " + n++, additionalContext: "again" }));
`;

/** Hooks that always ask for a retry, by kind, with their files. */
const GRUMBLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "j-cli stop": { ".jcli/hooks.yaml": yaml("stop", '{"retry_feedback":"not yet"}') },
  "j-cli stop, another text each time": {
    ".jcli/hooks.yaml": `stop:\n  - command: 'printf "{\\"retry_feedback\\":\\"no $(date +%N)\\"}"'\n    timeout: 5\n`,
  },
  "j-cli stop, two in turns": {
    ".jcli/hooks.yaml": `stop:
  - command: 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $((n % 2)) = 0 ] && echo "{\\"retry_feedback\\":\\"ping\\"}" || echo "{}"'
    timeout: 5
  - command: 'n=$(cat m 2>/dev/null || echo 1); echo $((n+1)) > m; [ $((n % 2)) = 0 ] && echo "{\\"retry_feedback\\":\\"pong\\"}" || echo "{}"'
    timeout: 5
`,
  },
  "j-cli pre_send_message": { ".jcli/hooks.yaml": yaml("pre_send_message", stopWith("ask otherwise")) },
  "j-cli pre_llm_request": { ".jcli/hooks.yaml": yaml("pre_llm_request", stopWith("not like this")) },
  "j-cli post_llm_response": { ".jcli/hooks.yaml": yaml("post_llm_response", stopWith("say it again")) },
  "omp session_stop": { ".omp/extensions/stop.ts": omp },
  "pi agent_before_settle": { ".pi/extensions/more.ts": pi("agent_before_settle", more) },
  "pi turn_end": { ".pi/extensions/more.ts": pi("turn_end", more) },
  "all of them": {
    ".jcli/hooks.yaml": `${yaml("stop", '{"retry_feedback":"not yet"}')}${yaml("post_llm_response", stopWith("say it again"))}`,
    ".omp/extensions/stop.ts": omp,
    ".pi/extensions/more.ts": pi("agent_before_settle", more),
    ".pi/extensions/turn.ts": pi("turn_end", more),
  },
};

/** R39: a hook that always asks for a retry causes at most `CAP` further requests; then the reply is accepted. */
const retriesAreCapped: Experiment = {
  id: "R39",
  async run(tally, { full }) {
    const worst: [requests: number, name: string][] = [];
    const grumblers = Object.entries(GRUMBLERS).filter((_, index) => full || index % 3 === 0);
    await each(grumblers, 2, async ([name, files]) => {
      const server = await startLoopback([{ text: "the reply", repeat: true }]);
      using place = new Place();
      place.provider(server.url);
      for (const [path, text] of Object.entries(files)) place.write(path, text);
      const ran = await runAgent(place, ["--trust-project", "--model", "loop/model", "-p", "go"]);
      await server.close();
      const requests = server.requests.length;
      worst.push([requests, name]);
      tally.trial(requests <= CAP + 1 ? undefined : `${name}: ${requests} requests`);
      // With only one kind of hook, the cap must end it, and be reported once.
      const told = ran.err.split(`the limit is ${CAP}`).length - 1;
      if (requests === CAP + 1 && told !== 1)
        tally.trial(`${name}: the cap was told ${told} times: ${ran.err.slice(0, 300)}`);
    });
    const [most] = worst.sort(([a], [b]) => b - a);
    tally.figure(`worst: ${most?.[0]} requests in a turn (${most?.[1]}); ${worst.map(([n]) => n).join(" ")}`);
  },
};

/** R40: the chain's limit of 30 s applies to every start, and only failures are retried. */
const chainsEnd: Experiment = {
  id: "R40",
  async run(tally, { full }) {
    const attempts = async (
      yaml: string,
    ): Promise<{ readonly count: number; readonly ran: boolean; readonly ms: number; readonly err: string }> => {
      const server = await startLoopback([
        { toolCalls: [{ name: "bash", arguments: { command: "echo ran > ran.txt" } }] },
        { text: "done" },
      ]);
      using place = new Place();
      place.provider(server.url);
      place.write(".jcli/hooks.yaml", yaml);
      const { ms, err } = await runAgent(place, ["--trust-project", "--model", "loop/model", "-p", "go"]);
      await server.close();
      const log = place.path("log.txt");
      const count = existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
      return { count, ran: existsSync(place.path("ran.txt")), ms, err };
    };
    const hook = (command: string, rest: string): string =>
      `  - command: "echo x >> log.txt; ${command}"\n    timeout: 60\n    ${rest}\n`;
    const decided = await attempts(`pre_tool_execution:\n${hook('echo \'{\\"action\\":\\"skip\\"}\'', "retry: 5")}`);
    tally.trial(decided.count === 1 && !decided.ran ? undefined : `a decision with retry 5: ${decided.count} attempts`);
    const silent = await attempts(`pre_tool_execution:\n${hook("true", "retry: 5")}`);
    tally.trial(silent.count === 1 && silent.ran ? undefined : `no answer with retry 5: ${silent.count} attempts`);
    const failing = await attempts(`pre_tool_execution:\n${hook("exit 1", "retry: 3")}`);
    tally.trial(failing.count === 4 && failing.ran ? undefined : `a failure with retry 3: ${failing.count} attempts`);
    if (!full) {
      tally.skip("the limit of 30 s: in the full size");
      return;
    }
    const [slow, again] = await Promise.all([
      attempts(`pre_tool_execution:\n${hook("sleep 12", "on_error: abort").repeat(4)}`),
      attempts(`pre_tool_execution:\n${hook("sleep 1; exit 1", "retry: 100")}`),
    ]);
    tally.trial(
      slow.count === 3 && !slow.ran
        ? undefined
        : `4 × 12 s: ${slow.count} were started, the tool ${slow.ran ? "ran" : "did not run"}`,
    );
    tally.trial(again.count <= 35 && again.count >= 10 ? undefined : `100 × 1 s: ${again.count} attempts`);
    tally.figure(
      `4 × 12 s: ${slow.count} started in ${Math.round(slow.ms / 1000)} s; 100 × 1 s: ${again.count} attempts`,
    );
  },
};

export const claim: Claim = {
  name: "retries",
  says: "hooks that always ask for another try cause at most five more requests per prompt, and a chain of hooks ends at its limit",
  run: (size) => findingOf([retriesAreCapped, chainsEnd], size),
};
