import { mkdirSync } from "node:fs";
import type { Place } from "../agent/program.ts";
import type { Written } from "../outlets.ts";

/** A state in which an outlet accepts nothing, or little. */
export interface State {
  /** A line of bash; `$H` is the agent. */
  readonly line: string;
  before?(place: Place): void;
  /** Returns the fault of the run; `read` returns a file's text. */
  check(written: Written, read: (path: string) => string): string | undefined;
}

/** A destination of the agent's output, and its possible states. */
export interface Outlet {
  readonly name: string;
  readonly states: Readonly<Record<string, State>>;
}

const ASK = "-p --script script.yaml hello </dev/null";
const EVENTS = `--mode json ${ASK}`;

/** Returns a command that makes system calls of the agent and its threads fail, or delays them. */
const traced = (what: string, args: string): string =>
  `\${H/timeout -s KILL 60/timeout -s KILL 60 strace -f -qq -o /dev/null -e trace=write,fsync,rename ${what}} ${args}`;

const ended = (wanted: number, { code }: Written): string | undefined =>
  code === wanted ? undefined : `wanted the code ${wanted}`;
const answered = (written: Written): string | undefined =>
  written.out === "done\n" ? ended(0, written) : `the answer was ${JSON.stringify(written.out)}`;
const told = (written: Written, pattern: RegExp, times = 1): string | undefined => {
  const count = [...written.err.matchAll(new RegExp(pattern, "g"))].length;
  return count === times ? undefined : `it was told ${count} times`;
};
const whole = (text: string): string | undefined => {
  const lines = text.split("\n");
  return lines.pop() === "" && lines.length > 0 && lines.every(isJson) ? undefined : "a line is missing or torn";
};

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

const REMOVES = (path: string): string =>
  `import { rmSync } from "node:fs"; export default (pi) => { pi.on("input", () => rmSync(${JSON.stringify(path)}, { recursive: true, force: true })); };\n`;
const removing = (path: string) => (place: Place) =>
  void place.write("~/.pi/agent/extensions/rm.js", REMOVES(place.path(path)));

const FULL_STDOUT = /stdout could not be written: ENOSPC/;
const quiet = (written: Written): string | undefined =>
  written.err === "" && [0, 141].includes(written.code ?? -1) ? undefined : "a reader that goes away is nobody's fault";

/** Each outlet in each state. */
export const OUTLETS: readonly Outlet[] = [
  {
    name: "stdout",
    states: {
      "full, a text": { line: `$H ${ASK} > /dev/full`, check: (ran) => ended(1, ran) ?? told(ran, FULL_STDOUT) },
      "full, events": { line: `$H ${EVENTS} > /dev/full`, check: (ran) => ended(1, ran) ?? told(ran, FULL_STDOUT) },
      "full, a report": {
        line: "$H hooks --json > /dev/full",
        check: (ran) => ended(1, ran) ?? told(ran, FULL_STDOUT),
      },
      "full half way": {
        line: "(ulimit -f 1; trap '' XFSZ; $H schema > out.json)",
        check: (ran) => ended(1, ran) ?? told(ran, /stdout could not be written: EFBIG/),
      },
      closed: { line: `$H ${ASK} >&-`, check: (ran) => ended(0, ran) },
      slow: {
        line: "$H schema | (sleep 1; cat) > out.json",
        check: (ran, read) => ended(0, ran) ?? (isJson(read("out.json")) ? undefined : "a part of it is missing"),
      },
      "vanished, a text": { line: `$H ${ASK} | true`, check: quiet },
      "vanished, events": { line: `$H ${EVENTS} | head -c 1 > out.txt`, check: quiet },
      "vanished, a report": { line: "$H schema | head -c 1 > out.txt", check: quiet },
    },
  },
  {
    name: "stderr",
    states: {
      full: { line: `$H --verbose ${ASK} 2> /dev/full`, check: answered },
      closed: { line: `$H --verbose ${ASK} 2>&-`, check: answered },
      slow: { line: `$H --verbose ${ASK} 2> >(sleep 1; cat >&2)`, check: answered },
      vanished: { line: `$H --verbose ${ASK} 2> >(true)`, check: answered },
    },
  },
  {
    name: "session",
    states: {
      full: {
        line: traced("-P $PWD/s.jsonl -e inject=write:error=ENOSPC:when=1+", `--session s.jsonl ${ASK}`),
        check: (ran) => answered(ran) ?? told(ran, /could not be written/),
      },
      closed: {
        line: traced("-P $PWD/s.jsonl -e inject=write:error=EBADF:when=1+", `--session s.jsonl ${ASK}`),
        check: (ran) => answered(ran) ?? told(ran, /could not be written/),
      },
      slow: {
        line: traced("-P $PWD/s.jsonl -e inject=write,fsync:delay_enter=300000", `--session s.jsonl ${ASK}`),
        check: (ran, read) => answered(ran) ?? whole(read("s.jsonl")),
      },
      vanished: {
        before: removing("kept"),
        line: `mkdir kept; $H --session kept/s.jsonl ${ASK}`,
        check: (ran, read) => answered(ran) ?? whole(read("kept/s.jsonl")),
      },
    },
  },
  {
    name: "trace",
    states: {
      full: {
        line: `$H --trace /dev/full ${ASK}`,
        check: (ran) => ended(1, ran) ?? told(ran, /The trace .* is not complete: ENOSPC/),
      },
      closed: {
        line: traced("-P $PWD/t.jsonl -e inject=write:error=EBADF:when=1+", `--trace t.jsonl ${ASK}`),
        check: (ran) => ended(1, ran) ?? told(ran, /The trace .* is not complete: EBADF/),
      },
      slow: {
        line: traced("-P $PWD/t.jsonl -e inject=write:delay_enter=200000", `--trace t.jsonl ${ASK}`),
        check: (ran, read) => answered(ran) ?? whole(read("t.jsonl")),
      },
      vanished: {
        before: removing("t.jsonl"),
        line: `$H --trace t.jsonl ${ASK}`,
        check: (ran) => ended(1, ran) ?? told(ran, /The trace .* is not complete: the file was removed/),
      },
      "a pipe without a reader": {
        line: `mkfifo t.pipe; $H --trace t.pipe ${ASK}`,
        check: (ran) => ended(1, ran) ?? told(ran, /a pipe that nobody reads/),
      },
    },
  },
  {
    name: "recording",
    states: {
      closed: {
        before: (place) => void place.write("~/.hookline/recordings", "no folder"),
        line: `$H --record ${ASK}`,
        check: (ran) => ended(1, ran) ?? told(ran, /The recording is not complete/),
      },
      "closed, and required": {
        before(place) {
          place.write("~/.hookline/recordings", "no folder");
          place.write("~/.hookline/settings.json", '{"decisionLog":"required"}');
          place.write(
            "script.yaml",
            "replies:\n  - toolCalls: [{ name: bash, arguments: { command: touch ran } }]\n  - text: done\n",
          );
        },
        line: `$H ${ASK}; code=$?; [ -e ran ] && echo it ran; exit $code`,
        check: (ran) =>
          (ran.out === "done\n" ? ended(1, ran) : "the call ran") ?? told(ran, /recording is not complete/),
      },
      vanished: {
        before: removing("~/.hookline/recordings"),
        line: `$H --record ${ASK}`,
        check: (ran) => ended(0, ran) ?? told(ran, /recording is not complete/, 0),
      },
    },
  },
  {
    name: "stats",
    states: {
      full: {
        line: traced("-e inject=rename:error=ENOSPC:when=1+", `--no-session ${ASK}`),
        check: (ran) =>
          answered(ran) ?? told(ran, /The figures of this session for `hookline hooks stats` could not be written/),
      },
      closed: {
        before: (place) => void place.write("~/.hookline/stats", "no folder"),
        line: `$H ${ASK}`,
        check: (ran) =>
          answered(ran) ?? told(ran, /The figures of this session for `hookline hooks stats` could not be written/),
      },
      slow: {
        line: traced("-e inject=rename:delay_enter=300000", `--no-session ${ASK}`),
        check: (ran) => answered(ran) ?? told(ran, /counters/, 0),
      },
      vanished: { before: removing("~/.hookline/stats"), line: `$H ${ASK}`, check: answered },
    },
  },
  {
    name: "trust store",
    states: {
      full: {
        before: hooksOfProject,
        line: traced("-e inject=fsync:error=ENOSPC:when=1+", "trust approve --yes"),
        check: (ran, read) =>
          ended(1, ran) ??
          told(ran, /trust\.json.*ENOSPC/) ??
          (read("~/.hookline/trust.json") === "" ? undefined : "half"),
      },
      closed: {
        before(place) {
          hooksOfProject(place);
          mkdirSync(place.path("~/.hookline/trust.json"), { recursive: true });
        },
        line: "$H trust approve --yes",
        check: (ran) => ended(1, ran) ?? told(ran, /trust\.json cannot be used/),
      },
      slow: {
        before: hooksOfProject,
        line: traced("-e inject=fsync:delay_enter=300000", "trust approve --yes"),
        check: (ran, read) => ended(0, ran) ?? (isJson(read("~/.hookline/trust.json")) ? undefined : "it is not kept"),
      },
      vanished: {
        before: hooksOfProject,
        line: 'rm -rf "$HOME/.hookline"; $H trust approve --yes',
        check: (ran, read) => ended(0, ran) ?? (isJson(read("~/.hookline/trust.json")) ? undefined : "it is not kept"),
      },
    },
  },
];

function hooksOfProject(place: Place): void {
  place.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
}
