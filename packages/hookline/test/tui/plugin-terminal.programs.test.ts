import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { onTerminal, type Sat, type Step } from "../support/on-terminal.ts";
import { has } from "../support/seeds.ts";

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

/** A session on a terminal in which the model calls the plugin's tool once; leaves when it has replied. */
async function sit(steps: readonly Step[], end = "The tool has ended."): Promise<Sat> {
  const replies = [{ toolCalls: [{ name: "ask", arguments: { command: "rm x" } }] }, { text: "The tool has ended." }];
  const script = place.write("~/script.json", JSON.stringify({ replies }));
  const all: readonly Step[] = [["Model: script", "go\r"], ...steps, [end, "\u0004"]];
  return onTerminal(place, all, ["--script", script]);
}

function plugin(body: string, language = "/bin/bash"): void {
  const schema = { name: "ask", description: "asks", parameters: { type: "object", properties: {} } };
  place.write(
    "~/.chibi/plugins/ask",
    language.includes("python")
      ? `#!${language}\nimport sys\nif sys.argv[1:] == ["--schema"]:\n    print('${JSON.stringify(schema)}')\n    sys.exit()\n${body}`
      : `#!${language}\nif [ "$1" = --schema ]; then echo '${JSON.stringify(schema)}'; exit; fi\n${body}`,
    "x",
  );
}

const answered: readonly Step[] = [["Run it?", "yes\r"]];

describe.skipIf(!has("python3"))("a plugin's tool asks the person on the terminal", () => {
  test.each([
    [
      "reads its arguments from stdin and asks on /dev/tty",
      `args=$(cat)\nprintf 'Run it? ' >/dev/tty\nread -r reply </dev/tty\necho "GOT-$reply $args"\n`,
    ],
    [
      "reads its arguments from stdin and asks on stderr",
      `args=$(cat)\nread -r -p 'Run it? ' reply </dev/tty\necho "GOT-$reply $args"\n`,
    ],
    [
      "takes its arguments from the environment and asks on /dev/tty",
      `exec 3<>/dev/tty\nprintf 'Run it? ' >&3\nread -r reply <&3\necho "GOT-$reply $CHIBI_TOOL_ARGS"\n`,
    ],
    [
      "takes its arguments from the environment and asks on stdin",
      `printf 'Run it? ' >&2\nread -r reply\necho "GOT-$reply $CHIBI_TOOL_ARGS"\n`,
    ],
    [
      "has another program ask, and names no terminal itself",
      `args=$(cat)\nreply=$("$HOME/question")\necho "GOT-$reply $args"\n`,
    ],
  ])("that %s", async (_, body) => {
    plugin(body);
    place.write("~/question", `#!/bin/sh\nprintf 'Run it? ' >/dev/tty\nread -r reply </dev/tty\necho "$reply"\n`, "x");
    const { status, done, out } = await sit(answered);
    expect(done).toContain("Run it?");
    expect(out).toContain('GOT-yes {"command":"rm x"}');
    expect(out).toContain("ask has the terminal");
    expect(status).toBe(0);
  });

  test("that is in Python and asks without an echo, as for a password", async () => {
    const body = `import getpass\nargs = sys.stdin.read()\nreply = getpass.getpass("Run it? ")\nprint("GOT-" + str(len(reply)), args)\n`;
    plugin(body, "/usr/bin/env python3");
    const { out } = await sit([["Run it?", "secret\r"]]);
    expect(out).toContain('GOT-6 {"command":"rm x"}');
    expect(out).not.toContain("secret");
  });

  test("Ctrl+C ends the tool and not the session", async () => {
    plugin(`args=$(cat)\nprintf 'Run it? ' >/dev/tty\nread -r reply </dev/tty\necho "GOT-$reply"\n`);
    const { status, done, out } = await sit([["Run it?", "\u0003"]]);
    expect(out).not.toContain("GOT-");
    expect(done).toContain("The tool has ended.");
    expect(status).toBe(0);
  });

  test("one that ignores Ctrl+C is ended by the second one", async () => {
    plugin(`trap '' INT\ncat >/dev/null\necho 'Run it?' >/dev/tty\nexec sleep 300\n`);
    const steps: readonly Step[] = [
      ["Run it?", "\u0003"],
      ["^C", "\u0003"],
    ];
    const { status, done } = await sit(steps, "cancelled");
    expect(done).toContain("cancelled");
    expect(status).toBe(0);
  });
});

test("in print mode there is no terminal, and the tool fails", async () => {
  plugin(`args=$(cat)\nread -r reply </dev/tty || exit 1\necho "GOT-$reply"\n`);
  const replies = [{ toolCalls: [{ name: "ask", arguments: {} }] }, { text: "ended" }];
  const script = place.write("~/script.json", JSON.stringify({ replies }));
  const ran = await place.run(["--script", script, "--mode", "json", "-p", "go"], {});
  expect(ran.out).toContain("Error: Tool execution failed or was cancelled");
  expect(ran.out).not.toContain('"GOT-');
});

test("a hook gets no terminal, and the load report says so where its plugin mentions one", async () => {
  const schema = { name: "g", description: "g", parameters: { type: "object" }, hooks: ["pre_tool", "on_start"] };
  place.write(
    "~/.chibi/plugins/g",
    `#!/bin/sh\n[ "$1" = --schema ] && echo '${JSON.stringify(schema)}' && exit\nread -r x </dev/tty || exit 1\n`,
    "x",
  );
  plugin("cat </dev/tty\n");
  const listed = await place.run(["hooks", "list"]);
  expect(listed.out + listed.err).toMatch(
    /plugins\/g mentions \/dev\/tty, but its hooks \(pre_tool, on_start\) run without/,
  );
  expect(listed.out + listed.err).not.toMatch(/plugins\/ask mentions/);
});
