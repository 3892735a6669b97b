import { reapOrphans } from "../../packages/runtime/src/transport/process/reap.ts";
import { clock } from "../../packages/runtime/test/process/clock.ts";
import { endTokens, processesWith, token, until } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment } from "./experiment.ts";
import { folder, runId, startHost, works } from "./ground.ts";

const RUNNING = 20;

/** R5: after a killed host, the next host to start leaves nothing lasting behind. */
const deathLeavesNothing: Experiment = {
  id: "R5",
  paths: ALL,
  async run(tally, { path, full }) {
    let before = 0;
    let after = 0;
    for (let round = 0; round < (full ? 15 : 1); round++) {
      using home = folder();
      const mark = token();
      const command = { file: "sleep", args: ["86400", mark] };
      const { child, ended } = startHost({ path, runId: runId("host"), stateDir: home.path, command, count: RUNNING });
      const started = (): number => processesWith(mark).filter((pid) => pid !== child.pid).length;
      await until(() => started() === RUNNING || child.exitCode !== null);
      child.kill("SIGKILL");
      await ended;
      before += processesWith(mark).length;
      await reapOrphans(home.path, clock);
      const left = processesWith(mark).length;
      after += left;
      for (let call = 0; call < RUNNING; call++)
        tally.trial(call < left ? "a process outlived the next start" : undefined);
      endTokens();
    }
    tally.figure(`survivors ${before} before the next start, ${after} after it, of ${tally.n}`);
    tally.skip("0 survivors at once by containment: there is no such mode (docs/decisions/0008)");
  },
};

/** R11, for a host under resource limits: it survives, and names what it could not start. */
export const shortages: Experiment = {
  id: "R11, shortages",
  paths: ALL,
  async run(tally, { path, full }) {
    const count = full ? 200 : 40;
    const limited = async (code: string, wrapper: readonly string[]): Promise<void> => {
      // A shell would have to start another process, which also counts against the limit.
      const command = { file: "sleep", args: ["0.5"] };
      const { code: exit, reports } = await startHost({ path, runId: runId("short"), command, count }, wrapper).ended;
      if (reports === undefined) {
        tally.trial(`${code}: the host ended with ${exit}`);
        return;
      }
      const refused = reports.filter(({ status }) => status === "not-started");
      for (const { status, startError, exitCode } of reports) {
        const fine = status === "not-started" ? startError?.code === code : exitCode === 0;
        tally.trial(fine ? undefined : `${code}: a call came to ${status} ${startError?.code ?? ""}`);
      }
      if (refused.length === 0) tally.trial(`${code} did not come about`);
      tally.figure(`${code}: ${refused.length} of ${count} refused`);
    };
    if (works("prlimit", "--nofile=64", "true")) await limited("EMFILE", ["prlimit", "--nofile=70:70"]);
    else tally.skip("EMFILE: prlimit is not installed");
    const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    // Threads count against the limit too: those of the host, and room for some processes.
    if (works(nobody[0] as string, ...nobody.slice(1), process.execPath, "-e", "0"))
      await limited("EAGAIN", [...nobody, "prlimit", "--nproc=30:30"]);
    else tally.skip("EAGAIN: no other user may be taken on, and root has no limit");
  },
};

export const hosts: readonly Experiment[] = [deathLeavesNothing];
