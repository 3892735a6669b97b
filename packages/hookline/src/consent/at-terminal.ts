import { execFile } from "node:child_process";
import { fstatSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type Process, type ProcessTable, presentAgents, presentHosts, processTable } from "@hookline/ground/system";
import { livingRuns, RUN_VARIABLE } from "@hookline/runtime/session";
import { runsHookline } from "./started-by.ts";

/** The names and variables that identify the processes of an agent. */
export interface AgentProcess {
  readonly label: string;
  /** Names of the agent's program, or of the package that contains it. */
  readonly names: readonly string[];
  /** Environment variables that the agent sets for its child processes. */
  readonly marks: readonly string[];
}

/** The facts from which `whyNotTyped` decides whether a person has typed a command. */
export interface TerminalParts {
  readonly hooklineHome: string;
  readonly agents: readonly AgentProcess[];
  readonly table?: ProcessTable;
}

/**
 * Returns why a person may not have typed this command on a terminal; undefined if one has.
 *
 * Checks this process and all its ancestors: none may be an agent or a hook, or have an environment variable that marks
 * one. A process that cannot be inspected counts as a reason. An ancestor that may have lost its real parent (an
 * orphan) must be older than every running agent, which may have been that parent. An orphan's parent is process 1 or
 * in another session, and does not hold its terminal. The clients of a tmux server above are checked in the same way.
 */
export async function whyNotTyped(parts: TerminalParts): Promise<string | undefined> {
  const gate = new Gate(parts);
  return gate.terminal() ?? (await gate.above(process.pid));
}

class Gate {
  readonly #agents: readonly AgentProcess[];
  readonly #table: ProcessTable;
  /** Process ids of running agents and hookline runs, with the words by which a message describes each. */
  readonly #known: ReadonlyMap<number, string>;
  /** Process ids of hookline's own agents, without its daemons. */
  readonly #own: ReadonlySet<number>;
  #oldest: Process | undefined | null = null;
  readonly #panes = new Set<Process["terminal"]>();

  constructor({ hooklineHome, agents, table = processTable() }: TerminalParts) {
    this.#agents = agents;
    this.#table = table;
    this.#own = new Set(presentAgents(hooklineHome).map(({ owner }) => owner.pid));
    this.#known = new Map([
      ...presentHosts(hooklineHome).map(({ pid }) => [pid, "an agent whose hooks hookline runs"] as const),
      ...[...livingRuns(join(hooklineHome, "run")).map(({ pid }) => pid), ...this.#own].map(
        (pid) => [pid, "hookline"] as const,
      ),
    ]);
  }

  /** Returns why this process is not in the foreground of a terminal; undefined if it is. */
  terminal(): string | undefined {
    const own = this.#table.get(process.pid);
    if (own?.terminal === undefined) return "there is no terminal here";
    const { terminal } = own;
    const isThere = (fd: number): boolean => {
      const { rdev } = fstatSync(fd);
      return typeof terminal === "number" ? rdev === terminal : fstatSync(fd).isCharacterDevice();
    };
    if (!isThere(0) || !isThere(1)) return "what it reads or writes is not its terminal";
    return own.isInForeground ? undefined : "it runs in the background";
  }

  /** Returns why an agent or a hook may have started a process; undefined if only a person can have. */
  async above(pid: number): Promise<string | undefined> {
    let one = this.#table.get(pid);
    const typedAt = one?.terminal;
    for (;;) {
      if (one === undefined) return "the processes above it cannot be seen";
      const problem = this.#problemOf(one);
      if (problem !== undefined) return problem;
      if (one.pid === 1 || one.parent === 0)
        return this.#table.isWhole ? undefined : "the processes outside of its user namespace cannot be seen";
      const parent = this.#table.get(one.parent);
      const { terminal } = one;
      // Other users' processes count as holding the terminal (`holds` cannot see it), except 1, which adopts orphans.
      const isBelow = parent !== undefined && terminal !== undefined && (parent.holds(terminal) ?? parent.pid > 1);
      const isHeld = isBelow || (terminal !== undefined && terminal === typedAt && terminal === parent?.terminal);
      if (parent !== undefined && !isHeld && this.#mayHaveBeenLeft(one, parent)) {
        const agent = this.#oldestAgent();
        if (agent !== undefined && agent.started <= one.started)
          return `${shown(one)} above it has lost its parents, and ${this.#labelOf(agent)} (process ${agent.pid}) ran before it was started. Use a terminal that was there before, or end that agent`;
      }
      // Clients of a tmux server control its panes and the commands that it runs, so they are checked like ancestors.
      if (parent !== undefined && isTmux(parent) && (isBelow || one.session === parent.session)) {
        const attached = await this.#aboveTmux(one, parent);
        if (attached !== undefined) return attached;
      }
      one = parent;
    }
  }

  #problemOf(one: Process): string | undefined {
    const { pid } = one;
    const isOwn = pid === process.pid;
    const label = isOwn ? undefined : this.#labelOf(one);
    if (label !== undefined) return `it was started by ${label} (process ${pid})`;
    const marks = [RUN_VARIABLE, ...this.#agents.flatMap((agent) => agent.marks)];
    const mark = one.environment()?.find((variable) => marks.some((name) => variable.startsWith(`${name}=`)));
    if (mark === undefined) return undefined;
    return `${isOwn ? "it" : shown(one)} has the variable ${mark.split("=", 1)[0]}, which agents set for what they run`;
  }

  /** Describes a process that runs hooks or that belongs to an agent; undefined for any other process. */
  #labelOf(one: Process): string | undefined {
    const known = this.#known.get(one.pid);
    if (known !== undefined) return known;
    if (runsHookline(one)) return "hookline";
    return this.#agents.find(({ names }) => names.some((name) => isNamed(one, name)))?.label;
  }

  /** Whether a process may be an orphan: its parent did not start it, but inherited it or is process 1. */
  #mayHaveBeenLeft(one: Process, parent: Process): boolean {
    // A process of another user cannot have been started by this user's agents.
    return one.uid === process.getuid?.() && (one.session !== parent.session || parent.pid === 1);
  }

  #oldestAgent(): Process | undefined {
    if (this.#oldest !== null) return this.#oldest;
    const all = [...this.#table.all()].filter(
      (one) => this.#own.has(one.pid) || (!runsHookline(one) && this.#labelOf(one) !== undefined),
    );
    this.#oldest = all.sort((a, b) => a.started - b.started)[0];
    return this.#oldest;
  }

  /** Returns why an agent or a hook may control a pane of tmux: nobody is attached to it, or not only persons are. */
  async #aboveTmux(pane: Process, server: Process): Promise<string | undefined> {
    const where = "this pane of tmux";
    if (this.#panes.has(pane.terminal)) return "the pane itself";
    this.#panes.add(pane.terminal);
    const [socket = ""] = (pane.environment()?.find((one) => one.startsWith("TMUX=")) ?? "").slice(5).split(",");
    const clients = await clientsOf(server, socket, pane);
    if (clients.length === 0) return `nobody is attached to ${where}, as far as tmux says`;
    for (const pid of clients) {
      const problem = await this.above(pid);
      if (problem !== undefined) return `of those who are attached to ${where}: ${problem}`;
    }
    return undefined;
  }
}

function shown({ pid, name, words }: Process): string {
  return `${basename(name || (words[0] ?? ""))} (process ${pid})`;
}

/** Programs that run the script named by their first argument. */
const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]*|(?:ba|da|k|z)?sh)$/;

/** Whether a process runs the program `name`, or a program in the npm package `name` if it contains a slash. */
function isNamed({ name: short, program = "", words }: Process, name: string): boolean {
  const [first = "", ...others] = words;
  const script = INTERPRETER.test(basename(first)) ? (others.find((word) => !word.startsWith("-")) ?? "") : "";
  const paths = [program, first, script];
  if (name.includes("/")) return paths.some((path) => path.includes(`/node_modules/${name}/`));
  const bases = [short, ...paths.map((path) => basename(path).replace(/\.(?:[cm]?js|exe)$/, ""))];
  return bases.some((base) => base.toLowerCase() === name);
}

function isTmux({ program = "", words }: Process): boolean {
  return /^tmux/.test(basename(program)) || /^(?:\S*\/)?tmux\b/.test(words[0] ?? "");
}

/** Returns the process ids of the clients that show a pane of tmux, as the tmux server reports them. */
async function clientsOf(server: Process, socket: string, { terminal }: Process): Promise<number[]> {
  const tmux = (...words: readonly string[]): Promise<string[][]> =>
    promisify(execFile)(server.program ?? "tmux", ["-S", socket, ...words], { encoding: "utf8", timeout: 2000 }).then(
      ({ stdout }) => stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")])),
    );
  try {
    const panes = await tmux("list-panes", "-a", "-F", "#{pid} #{session_id} #{pane_tty}");
    const sessions = panes.flatMap(([pid, session = "", tty = ""]) =>
      Number(pid) === server.pid && isTerminal(tty, terminal) ? [session] : [],
    );
    const clients = await tmux("list-clients", "-F", "#{client_pid} #{session_id}");
    return clients.flatMap(([pid, session = ""]) => (sessions.includes(session) ? [Number(pid)] : []));
  } catch {
    return [];
  }
}

/** Whether a path such as `/dev/pts/3` is this terminal, given by its device number or, on some systems, its name. */
function isTerminal(path: string, terminal: Process["terminal"]): boolean {
  if (typeof terminal === "string") return path.endsWith(`/${terminal}`);
  return terminal !== undefined && statSync(path, { throwIfNoEntry: false })?.rdev === terminal;
}
