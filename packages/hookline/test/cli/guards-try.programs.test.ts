import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directoryName } from "../../src/session/directory.ts";
import { Workplace } from "../support/cli.ts";

/** `guards try` over files that pi, Codex and Claude Code have written, where these programs keep them. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  place.write("notes.txt", "mine\n");
});

afterEach(() => place.remove());

const FIXTURES = join(import.meta.dirname, "../../../runtime/test/replay/fixtures");

interface Recorded {
  /** The path of the session below the home folder. */
  readonly path: (project: string) => string;
  /** Texts of the recording, with what stands there instead. */
  readonly instead: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly counts: string;
  readonly found: readonly string[];
}

const REASON = "  Not run. `rm notes.txt` would delete notes.txt, which exists nowhere else.";

const RECORDED: Readonly<Record<"pi" | "codex" | "claude", Recorded>> = {
  pi: {
    path: (project) => `.pi/agent/sessions/${directoryName(project)}/2026_s.jsonl`,
    instead: {
      "cat small.txt": "rm notes.txt",
      '"read","arguments":{"path":"small.txt"}': '"write","arguments":{"path":".git/config","content":"x"}',
    },
    calls: 3,
    counts: "1 refused, 1 asked, 0 passed with a note",
    found: ["refused: write .git/config", "asked: rm notes.txt"],
  },
  codex: {
    path: () => ".codex/sessions/2026/11/22/rollout-2026-s.jsonl",
    instead: {
      "cat small.txt": "rm notes.txt",
      "echo 2; exit 3": "rm -rf ~",
      "*** Add File: new.txt": "*** Add File: .git/hooks/pre-commit",
      "unsupported custom tool call: apply_patch": "Success.",
    },
    calls: 4,
    counts: "2 refused, 1 asked, 0 passed with a note",
    found: ["refused: rm -rf ~", "refused: write .git/hooks/pre-commit", "asked: rm notes.txt"],
  },
  claude: {
    path: (project) => `.claude/projects/${project.replace(/[^A-Za-z0-9]/g, "-")}/11111111.jsonl`,
    instead: { "ls build": "rm notes.txt", "rm -rf build": "cd . && rm notes.txt" },
    calls: 6,
    counts: "0 refused, 2 asked, 0 passed with a note",
    found: ["asked: rm notes.txt", "asked: cd . && rm notes.txt"],
  },
};

test.each(Object.entries(RECORDED))(
  "of %s each stopped call is listed with its reason, after what is read",
  {
    timeout: 60_000,
  },
  async (agent, { path, instead, calls, counts, found }) => {
    const project = realpathSync(place.project);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    let text = readFileSync(join(FIXTURES, `${agent}.jsonl`), "utf8")
      .replaceAll("/home/me/project", project)
      .replaceAll(/2026-11-2\d(?=T)/g, yesterday);
    for (const [from, to] of Object.entries(instead)) {
      expect(text).toContain(from);
      text = text.replaceAll(from, to);
    }
    place.write(`~/${path(project)}`, text);
    const { code, out, err } = await place.run(["guards", "try", "commands"]);
    const kB = Math.ceil(Buffer.byteLength(text) / 1000);
    expect(err).toMatch(
      new RegExp(
        `^Reads 1 recording or session of this folder \\(1 of ${agent}; ${kB} kB\\)\\. Nothing is run or sent\\.\n`,
      ),
    );
    expect([code, out.split("\n")[0]]).toEqual([0, `commands, in 1 day and ${calls} calls: ${counts}.`]);
    expect(out.split("\n").filter((line) => /^(?:refused|asked)/.test(line))).toEqual(found);
    expect(out).toContain(REASON);
    expect(existsSync(join(place.project, "notes.txt"))).toBe(true);
  },
);
