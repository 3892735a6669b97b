import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Project } from "./kit.ts";
import { lay, SHAPES } from "./shapes.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

/** Returns the pieces of the only hook that consent does not cover, and the files that it covers. */
async function reviewed(): Promise<{ open: string[]; files: string[] }> {
  await using opened = await project.open("trust", true);
  const [review] = await opened.session.review();
  if (review === undefined) throw new Error("there is no hook");
  const files = review.print.files.map(({ path }) => path.slice(project.cwd.length + 1));
  return { open: review.open.map(({ piece, why }) => `${piece} ${why}`), files };
}

function hook(command: string, files: Readonly<Record<string, string>> = {}): void {
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  project.write(".jcli/hooks.yaml", `pre_tool_execution:\n  - command: ${JSON.stringify(command)}\n`);
}

const SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
input=$(cat)
dir="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"
. "$dir/lib.sh"
path=$(jq -r '.tool_arguments | fromjson | .path // ""' <<<"$input")
case "$path" in
  src/*) exit 0 ;;
  */.env) echo '{"action":"skip"}' ;;
esac
if grep -qE "$(denied)" <<<"$path"; then echo "no: $path" >&2; exit 2; fi
for f in "$@"; do [ -f "$f" ] && wc -l "$f"; done
`;

/** Ordinary guards, as people write them. */
const GUARDS: [name: string, command: string, files?: Readonly<Record<string, string>>][] = [
  ["a script", "sh tools/g.sh", { "tools/g.sh": "cat > /dev/null\n" }],
  [
    "a script with its library",
    "bash tools/g.sh",
    { "tools/g.sh": SCRIPT, "tools/lib.sh": "denied() { echo 'rm -rf'; }\n" },
  ],
  ["jq", 'jq -e \'.tool_name != "Bash"\' > /dev/null || echo \'{"action":"skip"}\''],
  ["grep of the input", "input=$(cat); echo \"$input\" | grep -q 'rm -rf' && exit 2; exit 0"],
  ["a log", 'cat >> "$HOME/.cache/hook.log"'],
  ["a log with a date", 'echo "$(date +%F) $(cat)" >> /tmp/hook.log'],
  ["a message to the desktop", "notify-send 'The agent has finished'"],
  ["git", 'cd "$(git rev-parse --show-toplevel)" && git diff --quiet || echo \'{"action":"skip"}\''],
  [
    "Python",
    "python3 tools/g.py",
    {
      "tools/g.py":
        "import json, re, sys\nevent = json.load(sys.stdin)\nif re.compile('rm').search(event['tool_name']):\n    print(json.dumps({'action': 'skip'}))\n",
    },
  ],
  [
    "Python with a module",
    "python3 tools/g.py",
    {
      "tools/g.py": "import helper\nhelper.run()\n",
      "tools/helper.py":
        "import subprocess\ndef run():\n    subprocess.run(['git', 'status', '--short'], check=False)\n",
    },
  ],
  [
    "Node",
    "node tools/g.mjs",
    {
      "tools/g.mjs":
        "import { execFileSync } from 'node:child_process';\nlet text = '';\nfor await (const chunk of process.stdin) text += chunk;\nconst found = /rm\\s+(-\\w+)/.exec(JSON.parse(text).tool_arguments);\nif (found) execFileSync('git', ['stash', found[1]]);\n",
    },
  ],
  [
    "inline Python",
    'python3 -c \'import json,sys; print(json.dumps({"action": "continue"}) if json.load(sys.stdin) else "")\'',
  ],
  ["a project's folder", 'sh "$JCLI_CWD/tools/g.sh"', { "tools/g.sh": "exit 0\n" }],
  ["a limit in time", "timeout 5 env LC_ALL=C nice -n 5 sh -c 'exec sh tools/g.sh'", { "tools/g.sh": "exit 0\n" }],
  ["awk", 'awk \'/rm -rf/ { print "{\\"action\\":\\"skip\\"}"; exit }\''],
];

describe("ordinary guards are closed", () => {
  test("there are fifteen of them", () => {
    expect(GUARDS.length).toBeGreaterThanOrEqual(15);
  });

  test.each(GUARDS)(
    "%s: nothing is open, and what has nothing to do with it is not covered",
    async (_name, command, files = {}) => {
      hook(command, files);
      const others = {
        "src/index.ts": "export {};",
        "README.md": "# x",
        "package.json": "{}",
        "test/a.test.ts": "",
        "lib/other.sh": "",
      };
      for (const [path, text] of Object.entries(others)) project.write(path, text);
      const { open, files: covered } = await reviewed();
      expect(open).toEqual([]);
      // In a repository's configuration, only the programs that it names are covered.
      const own = covered.filter((path) => path !== ".git/config");
      expect(own.sort()).toEqual([".jcli/hooks.yaml", ...Object.keys(files)].sort());
      const approvals = await project.approve();
      for (const path of Object.keys(others)) project.write(path, "changed");
      await using opened = await project.open("trust", true);
      expect(approvals).toHaveLength(1);
      expect((await opened.session.review()).map(({ verdict }) => verdict)).toEqual(["approved"]);
    },
  );
});

/** Commands that compute what they start. */
const COMPUTING: [command: string, why: RegExp, files?: Readonly<Record<string, string>>][] = [
  ['sh "$(cat tools/which)"', /computes what it starts/],
  ["$GUARD", /computes what it starts/],
  ["base64 -d tools/list | sh", /passes sh commands on its input/],
  ["curl -s https://example.org/x | bash", /passes bash commands on its input/],
  ['eval "$(cat tools/x)"', /computes the text that eval runs/],
  ['. "$dir/lib.sh"', /computes the file that it sources/],
  ['cd "$X" && ./g.sh', /folder that it computes/],
  ['sh -c "sh $X"', /computes the text that sh runs/],
  ["make guard", /runs what Makefile says/, { Makefile: "guard:\n\ttrue\n" }],
  ["npm run guard", /runs what package.json says/, { "package.json": '{"scripts":{"guard":"true"}}' }],
  ["python3 -m unittest", /runs code of the project/],
  ["python3 -m nosuch", /is not found in the project/],
  ["ruby", /runs what it is sent/],
  ["tool lib/g.rb", /hands lib\/g.rb to tool/, { "lib/g.rb": "" }],
  ["find . -name '*.sh' -exec sh {} ';'", /computes what it starts/],
  ["ls tools | xargs -n1 sh", /computes what it starts/],
  ['while read -r f; do sh "$f"; done < tools/list', /computes what it starts/],
  ["a=$(cat x); b=$a; sh $b", /computes what it starts/],
  ['f() { sh "$1"; }; f tools/g.sh', /computes what it starts/],
  ["PATH=$X/bin:$PATH guard", /computes what programs load/],
  ['python3 -c "$(cat tools/x)"', /computes the code that it runs/],
  ["sh /dev/stdin", /passes sh commands on its input/],
  ["IFS=:; x=tools/g.sh; sh $x", /computes what it starts/],
  ["curl -so /tmp/x https://example.org && sh /tmp/x", /which is not there/],
  [
    "node tools/g.mjs",
    /computes what it starts/,
    { "tools/g.mjs": "import { execFileSync } from 'node:child_process';\nexecFileSync(process.argv[2]);\n" },
  ],
  ["node tools/g.mjs", /runs a text as code/, { "tools/g.mjs": "eval(atob('eA=='));\n" }],
  ["node tools/g.mjs", /computes what it loads/, { "tools/g.mjs": "await import(process.env.X);\n" }],
  [
    "python3 tools/g.py",
    /computes what it starts/,
    { "tools/g.py": "import os, sys\nos.system('sh ' + sys.argv[1])\n" },
  ],
  ["python3 tools/g.py", /runs a text as code/, { "tools/g.py": "exec(open('x').read())\n" }],
  [
    "python3 tools/g.py",
    /computes what it loads/,
    { "tools/g.py": "import importlib\nimportlib.import_module(name)\n" },
  ],
  ["ruby tools/g.rb", /computes what it starts/, { "tools/g.rb": "system(ARGV[0])\n" }],
  ["awk '{ system($1) }'", /computes what it starts/],
];

describe("what computes what it starts is open", () => {
  test.each(COMPUTING)("%s", async (command, why, files = {}) => {
    hook(command, files);
    const { open } = await reviewed();
    expect(open.join("\n")).toMatch(why);
  });

  test("the place of the piece is told: the file that holds it, and the line", async () => {
    hook("sh tools/g.sh", { "tools/g.sh": 'true\n\nsh "$X"\n' });
    await using opened = await project.open("trust", true);
    const [review] = await opened.session.review();
    expect(review?.open).toEqual([
      { piece: 'sh "$X"', file: project.path("tools/g.sh"), line: 3, why: "computes what it starts" },
    ]);
  });
});

test("a lock file stands for a folder of dependencies, and this is reported", async () => {
  hook("node tools/g.mjs", {
    "tools/g.mjs": "import 'pack';\n",
    "node_modules/pack/index.js": "",
    "package-lock.json": "{}",
  });
  await using opened = await project.open("trust", true);
  const [review] = await opened.session.review();
  expect(review?.open).toEqual([]);
  expect(review?.represented).toEqual([
    { folder: project.path("node_modules"), by: [project.path("package-lock.json")] },
  ]);
});

describe("each shape of the table", () => {
  test.each(SHAPES.map((shape) => [shape.name, shape] as const))(
    "%s: the changed file is covered, or it is said what is not",
    async (_name, shape) => {
      lay(project, shape);
      const { files, open } = await reviewed();
      if (shape.isOpen) expect(open).not.toEqual([]);
      else expect(files).toContain(shape.changed);
    },
  );
});

describe("files that come to be after the approval", () => {
  test.each<[string, string, Readonly<Record<string, string>>, string, string]>([
    ["a mark that a hook looks for", "[ -f DONE.md ] || echo '{}'", {}, "DONE.md", "approved"],
    ["a mark without an ending", "[ -f .done ] || echo '{}'", {}, ".done", "approved"],
    ["a log that a hook writes", "cat >> hook.log", { "hook.log": "" }, "hook.log", "approved"],
    [
      "a script that a pattern fits",
      "for f in tools/*.sh; do . $f; done",
      { "tools/a.sh": "" },
      "tools/b.sh",
      "changed",
    ],
    [
      "a module in the way of another",
      "python3 tools/g.py",
      { "tools/g.py": "import json\n" },
      "tools/json.py",
      "changed",
    ],
    ["a sourced file without an ending", ". ./env", {}, "env", "changed"],
  ])("%s", async (_name, command, files, path, verdict) => {
    hook(command, files);
    await project.approve();
    project.write(path, "new");
    await using opened = await project.open("trust", true);
    expect((await opened.session.review()).map((review) => review.verdict)).toEqual([verdict]);
  });
});
