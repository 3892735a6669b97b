import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { type Loopback, startLoopback } from "../support/loopback.ts";

// Tells when a run ends what of Node itself it has loaded.
const LOADED = `import { writeFileSync } from "node:fs";
export default (pi) => pi.on("agent_end", () => writeFileSync("loaded.json", JSON.stringify(process.moduleLoadList)));
`;

/** Undoes that all tests share what V8 has compiled. */
const OWN_CACHE = { NODE_COMPILE_CACHE: "" };

describe.each([
  ["openai-completions", "/v1"],
  ["openai-responses", "/v1"],
  ["anthropic-messages", ""],
])("a launch that asks over %s", (api, path) => {
  let place: Workplace;
  let server: Loopback;

  beforeEach(async () => {
    place = new Workplace();
    place.write("~/.pi/agent/extensions/loaded.ts", LOADED);
    server = await startLoopback([{ text: "Here I am.", repeat: true }]);
  });

  afterEach(async () => {
    await server.close();
    place.remove();
  });

  const run = (env: Readonly<Record<string, string>>) =>
    place.run(["--api", api, "--base-url", server.url + path, "--model", "test/m", "-p", "Are you there?"], { env });

  test("says the same without a cache, with an empty one and with a full one", async () => {
    const cache = join(place.top, "cache");
    const kept = () =>
      readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((file) => statSync(join(cache, file)).isFile());
    for (const env of [
      { NODE_DISABLE_COMPILE_CACHE: "1" },
      { NODE_COMPILE_CACHE: cache },
      { NODE_COMPILE_CACHE: cache },
    ])
      expect(await run(env)).toEqual({ code: 0, out: "Here I am.\n", err: "" });
    expect(kept().length).toBeGreaterThan(0);
    const bodies = server.requests.map(({ body }) => ({ ...body, prompt_cache_key: "" }));
    expect(bodies).toHaveLength(3);
    for (const body of bodies) expect(JSON.stringify(body).length).toBe(JSON.stringify(bodies[0]).length);
  });

  test("does not load Node's second HTTP client", async () => {
    expect(await run({})).toMatchObject({ code: 0 });
    const loaded: string[] = JSON.parse(readFileSync(join(place.project, "loaded.json"), "utf8"));
    expect(loaded).toContain("NativeModule http");
    expect(loaded.filter((name) => /undici/.test(name))).toEqual([]);
  });
});

test("a launch without hooks does not load Node's crypto", async () => {
  const place = new Workplace();
  try {
    place.write("script.yaml", "replies:\n  - text: Here I am.\n");
    const list =
      'process.on("exit", () => require("node:fs").writeFileSync("loaded.json", JSON.stringify(process.moduleLoadList)));';
    const NODE_OPTIONS = `--require=${place.write("~/list.cjs", list)}`;
    const ran = await place.run(["--script", "script.yaml", "-p", "Are you there?"], { env: { NODE_OPTIONS } });
    expect(ran).toEqual({ code: 0, out: "Here I am.\n", err: "" });
    const loaded: string[] = JSON.parse(readFileSync(join(place.project, "loaded.json"), "utf8"));
    expect(loaded).toContain("NativeModule fs");
    expect(loaded).not.toContain("NativeModule crypto");
  } finally {
    place.remove();
  }
});

describe("what V8 has compiled is kept", () => {
  let place: Workplace;
  let temporary: string;

  beforeEach(() => {
    place = new Workplace();
    temporary = mkdtempSync(join(place.top, "tmp-"));
    place.write("script.yaml", "replies:\n  - text: Here I am.\n");
  });
  afterEach(() => place.remove());

  /** Runs the program, and gives the files that it has left in its own cache and in the one of the machine. */
  async function start(env: Readonly<Record<string, string>>, folder = join(place.home, ".hookline")) {
    const ran = await place.run(["--script", "script.yaml", "-p", "Are you there?"], {
      env: { ...OWN_CACHE, TMPDIR: temporary, ...env },
    });
    expect(ran).toEqual({ code: 0, out: "Here I am.\n", err: "" });
    return { own: filesIn(join(folder, "cache/compiled")), machine: filesIn(temporary) };
  }

  function filesIn(folder: string): string[] {
    if (!existsSync(folder)) return [];
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  test("in hookline's own folder, which no other user may read, and used by the next start", async () => {
    const first = await start({});
    expect(first.own).not.toEqual([]);
    expect(first.machine).toEqual([]);
    for (const name of [".hookline", ".hookline/cache", ".hookline/cache/compiled"])
      expect([name, statSync(join(place.home, name)).mode & 0o077]).toEqual([name, 0]);
    expect((await start({})).own.sort()).toEqual(first.own.sort());
  });

  test("below HOOKLINE_HOME where that is absolute, and never below a project", async () => {
    const moved = join(place.top, "moved");
    expect((await start({ HOOKLINE_HOME: moved }, moved)).own).not.toEqual([]);
    expect(existsSync(join(place.home, ".hookline/cache/compiled"))).toBe(false);
    const ran = await place.run(["--version"], { env: { ...OWN_CACHE, TMPDIR: temporary, HOOKLINE_HOME: "moved" } });
    expect(ran.code).toBe(0);
    expect(existsSync(join(place.project, "moved"))).toBe(false);
    expect(filesIn(join(place.home, ".hookline/cache/compiled"))).not.toEqual([]);
  });

  test("where Node keeps it, if the home cannot be written", async () => {
    // Nothing can be made in /proc, whoever tries.
    for (const HOME of process.platform === "linux" ? ["/proc"] : []) {
      const ran = await place.run(["--version"], { env: { ...OWN_CACHE, TMPDIR: temporary, HOME } });
      expect([ran.code, ran.err]).toEqual([0, ""]);
      expect(filesIn(temporary)).not.toEqual([]);
    }
    place.write("~/.hookline/cache", "a file");
    expect((await start({})).machine).not.toEqual([]);
  });

  test.skipIf(userInfo().uid !== 0)("not in the home of another user, who could not write there later", async () => {
    chownSync(place.home, 65534, 65534);
    expect((await place.run(["--version"], { env: { ...OWN_CACHE, TMPDIR: temporary } })).code).toBe(0);
    expect(readdirSync(place.home)).toEqual([]);
    expect(filesIn(temporary)).not.toEqual([]);
  });

  test("nowhere, or where Node's own variables say so", async () => {
    expect(await start({ NODE_DISABLE_COMPILE_CACHE: "1" })).toEqual({ own: [], machine: [] });
    const elsewhere = join(place.top, "elsewhere");
    expect(await start({ NODE_COMPILE_CACHE: elsewhere })).toEqual({ own: [], machine: [] });
    expect(filesIn(elsewhere)).not.toEqual([]);
  });
});
