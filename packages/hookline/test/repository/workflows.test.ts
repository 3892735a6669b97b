import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const folder = join(root, ".github/workflows");
const names = readdirSync(folder);
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** GitHub's own parser. It is bundled first, because it imports JSON in a way that Node refuses. */
const contents =
  'export { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } from "@actions/workflow-parser";';
const bundle = join(mkdtempSync(join(tmpdir(), "hookline-workflows-")), "parser.mjs");
await build({ stdin: { contents, resolveDir: root }, outfile: bundle, bundle: true, format: "esm", platform: "node" });
const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(pathToFileURL(bundle).href);
afterAll(() => rmSync(dirname(bundle), { recursive: true, force: true }));

/** Returns GitHub's objections to a workflow. */
async function objections(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const first = context.errors.getErrors().map(({ message }: { message: string }) => message);
  if (first.length > 0 || value === undefined) return first;
  const { errors = [] } = await convertWorkflowTemplate(context, value);
  return errors.map(({ Message }: { Message: string }) => Message);
}

describe.each(names)("%s", (name) => {
  const text = read(`.github/workflows/${name}`);
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("is a workflow as GitHub reads it", async () => {
    expect(await objections(name, text)).toEqual([]);
    expect(await objections(name, text.replace("runs-on:", "run-on:"))).not.toEqual([]);
    expect(await objections(name, text.replace("github.ref", "nobody.ref"))).not.toEqual([]);
  });

  test("runs only actions of exactly one commit", () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    for (const { run = "" } of steps) expect(run).not.toMatch(/\$\{\{/);
  });

  test("gives a job no more rights than it needs, and says that nobody has run it", () => {
    expect(Object.values(workflow.permissions).filter((right) => right !== "read")).toEqual([]);
    const granted = Object.values(workflow.jobs).flatMap(({ permissions = {} }) => Object.keys(permissions));
    expect(granted).toEqual(name === "release.yml" ? ["contents", "id-token"] : []);
    expect(text).toContain("Nobody has run this workflow yet.");
  });
});

test("the tests run on Linux, on both processors, on macOS and on Windows", () => {
  const { jobs } = parse(read(".github/workflows/test.yml")) as Workflow;
  const systems = Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix.os ?? []);
  for (const system of [/^ubuntu-[\d.]+$/, /^ubuntu-.*-arm$/, /^macos-/, /^windows-/])
    expect(systems.filter((one) => system.test(one))).toHaveLength(1);
});

describe("a release", () => {
  const text = read(".github/workflows/release.yml");
  const packages = readdirSync(join(root, "packages")).filter(
    (name) => JSON.parse(read(`packages/${name}/package.json`)).private !== true,
  );

  test("publishes every package with its provenance, and what it needs before it", () => {
    const published = [...text.matchAll(/npm publish --workspace packages\/(\w+) --provenance --access public/g)];
    expect(published.map(([, name]) => name)).toEqual(["runtime", "guards", "conformance", "fleet", "hookline"]);
    expect(published.map(([, name]) => name).sort()).toEqual([...packages].sort());
  });

  test("publishes the bridge's clients before the agent, which is made to want the one of its system", () => {
    const clients = [...text.matchAll(/npm publish \.\/native\/bridge-([\w-]+) --provenance --access public/g)];
    expect(clients.map(([, target]) => target)).toEqual(["linux-arm64"]);
    // The agent has that for x64 in its own package.
    expect(text).toContain("test -x packages/hookline/dist/bridge-linux-x64/hookline-hook");
    expect(text.indexOf("npm publish ./native")).toBeLessThan(
      text.indexOf("npm publish --workspace packages/hookline"),
    );
    expect(text).toMatch(/npm pkg set "optionalDependencies\.@hookline\/bridge-\$target=/);
    const { version } = JSON.parse(read("packages/hookline/package.json"));
    for (const [, target] of clients)
      expect(JSON.parse(read(`native/bridge-${target}/package.json`))).toMatchObject({
        name: `@hookline/bridge-${target}`,
        version,
        os: [target?.split("-")[0]],
        cpu: [target?.split("-")[1]],
      });
  });

  test("lists what is in the agent's package, and what is bundled into it", () => {
    const [, command = ""] = /(npm sbom .*?) >/.exec(text) ?? [];
    const listing = command.replace("$name", "hookline");
    const bill = JSON.parse(execFileSync("sh", ["-c", listing], { cwd: root, encoding: "utf8", stdio: "pipe" }));
    expect(bill.bomFormat).toBe("CycloneDX");
    const listed = bill.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)).join("\n");
    const { dependencies, devDependencies } = JSON.parse(read("packages/hookline/package.json"));
    for (const one of Object.keys({ ...dependencies, ...devDependencies })) expect(listed).toContain(`/${one}@`);
  });

  test("is of a tag that names the version of the packages and of the changelog", () => {
    const { version } = JSON.parse(read("packages/hookline/package.json")) as { readonly version: string };
    const tagged = (tag: string) =>
      spawnSync(process.execPath, ["--conditions=hookline-source", "scripts/release.ts", "--tagged", tag], {
        cwd: root,
        encoding: "utf8",
      });
    expect(tagged("v99.0.0").stderr).toContain(`v99.0.0 is not v${version}`);
    const { status, stderr } = tagged(`v${version}`);
    expect(stderr).not.toContain("is not");
    expect(status).toBe(read("CHANGELOG.md").includes(`\n## ${version}`) ? 0 : 1);
  });
});
