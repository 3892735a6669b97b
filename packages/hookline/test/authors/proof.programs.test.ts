import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";

/** The proof at the start in the agent as it is built: each guard that does not work is found before the first call. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

const settings = (command: string): void => {
  const hook = { type: "command", command, timeout: 1 };
  const entry = { matcher: "Bash", hooks: [hook] };
  place.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [entry] } }));
  cases("~/.claude/settings");
};

/** Puts the case that a session asks beside a hook's file. */
const cases = (file: string): void => {
  const text = "cases:\n  - { name: deleting, args: { command: rm x }, expect: deny, probe: true }\n";
  place.write(`${file}.hooks-test.yaml`, text);
};

const guard = (answer: string, top = ""): void => {
  const text = `import { guard } from "@hookline/runtime/guard";
${top}
export default guard({
  name: "no-rm",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => ${answer},
  cases: [{ name: "deleting", args: { command: "rm x" }, expect: "deny" }],
});
`;
  place.write("~/.hookline/guards/no-rm.ts", text);
};

const extension = (body: string): void => {
  place.write(
    "~/.omp/agent/hooks/pre/no-rm.ts",
    `export default (omp) => omp.on("tool_call", (event) => {${body}});\n`,
  );
  cases("~/.omp/agent/hooks/pre/no-rm");
};

const REFUSES = 'args.command.startsWith("rm ") ? { deny: "no rm" } : undefined';
const GOOD = `if grep -q '"rm x'; then echo no >&2; exit 2; fi\n`;

/** The folders of programs, without those that have Bun. */
const path = (CHILD_ENV["PATH"] ?? "").split(delimiter).filter((folder) => !existsSync(join(folder, "bun")));

/** Runs the agent, whose model runs these commands one after the other; says which of the files `1`, `2`, … there are. */
async function session(...commands: readonly string[]) {
  const replies = commands.map((command, at) => ({
    toolCalls: [{ name: "bash", arguments: { command: `${command}; touch ${at + 1}` } }],
  }));
  place.write("script.yaml", JSON.stringify({ replies: [...replies, { text: "done" }] }));
  const args = ["-p", "--script", join(place.project, "script.yaml"), "go"];
  const { code, err } = await place.run(args, { env: { PATH: path.join(delimiter) } });
  return { code, err, ran: commands.map((_, at) => existsSync(join(place.project, `${at + 1}`))) };
}

test.each<[string, () => void, string]>([
  ["whose interpreter is missing", () => settings("no-such-interpreter guard.py"), 'it failed at its case "deleting"'],
  [
    "that needs Bun, which is missing",
    () => settings(place.write("~/checks/guard", "#!/usr/bin/env bun\nprocess.exit(2);\n", "x")),
    'it failed at its case "deleting"',
  ],
  [
    "that uses what only Bun has",
    () => extension('if (Bun.sql && event.input.command === "rm x") return { block: true, reason: "no" };'),
    'it failed at its case "deleting"',
  ],
  ["whose file is gone", () => settings("~/checks/gone"), 'it failed at its case "deleting"'],
  ["that hangs", () => settings("sleep 60"), 'its case "deleting"'],
  ["that is a program and was edited to allow", () => settings("cat > /dev/null"), 'it let its case "deleting" pass'],
  ["that is an extension and was edited to allow", () => extension(""), 'it let its case "deleting" pass'],
  ["that is a guard and was edited to allow", () => guard("args && undefined"), 'it let its case "deleting" pass'],
  ["that throws", () => guard('args && JSON.parse("{")'), 'it failed at its case "deleting"'],
])("a guard %s is found before the first call, which is refused", { timeout: 60_000 }, async (_, make, problem) => {
  make();
  const { code, err, ran } = await session("true");
  expect(err).toMatch(/guards 0\/1 alive\. .* does not work: /);
  expect(err).toContain(problem);
  expect([ran, code]).toEqual([[false], 0]);
});

test.each<[string, () => void]>([
  ["a program", () => settings(`sh ${place.write("~/checks/guard.sh", GOOD)}`)],
  [
    "an extension",
    () => extension('if (String(event.input.command).startsWith("rm ")) return { block: true, reason: "no rm" };'),
  ],
  ["a guard", () => guard(REFUSES)],
])("that works and is %s lets the first call run", { timeout: 60_000 }, async (_, make) => {
  make();
  const { err, ran } = await session("true", "rm x");
  expect(err).toContain("guards 1/1 alive\n");
  expect(ran).toEqual([true, false]);
});

test.each<[string, () => string, string]>([
  [
    "a program",
    () => {
      const script = place.write("~/checks/guard.sh", GOOD);
      settings(`sh ${script}`);
      return script;
    },
    "",
  ],
  [
    "a guard",
    () => {
      guard(REFUSES);
      return join(place.home, ".hookline/guards/no-rm.ts");
    },
    "export default [];\n",
  ],
])(
  "of %s that the model edits the edit is refused; one that gets past it changes nothing for the next call",
  {
    timeout: 60_000,
  },
  async (kind, make, text) => {
    const file = make();
    const edited = place.write("edited", text);
    expect((await session(`cp ${edited} ${file}`, "rm x")).ran).toEqual([false, false]);
    // A program that was there before does it, so that nobody can see it in the command.
    place.write("tool.sh", `cp ${edited} ${file}\n`);
    const { err, ran } = await session("sh tool.sh", "rm x");
    expect(ran).toEqual([true, false]);
    if (kind === "a program") expect(err).toContain('it let its case "deleting" pass');
    rmSync(file);
  },
);
