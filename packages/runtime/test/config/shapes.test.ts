import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Project } from "./kit.ts";
import { lay, marked, SHAPES } from "./shapes.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

async function ran(): Promise<string[]> {
  await using opened = await project.open();
  await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command: "ls" } });
  return project.ran().filter((mark) => mark !== "");
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("there are thirty of the table and more", () => {
  expect(SHAPES.length).toBeGreaterThanOrEqual(45);
});

describe.each(SHAPES.filter(({ isOpen }) => isOpen === undefined).map((shape) => [shape.name, shape] as const))(
  "%s",
  (_name, shape) => {
    const canRun = shape.needs === undefined || isThere(shape.needs);

    test.runIf(canRun)("runs once approved, and not after a change of what it starts", async () => {
      lay(project, shape);
      await project.approve();
      expect(await ran()).toContain("before");
      project.write(
        shape.changed,
        `${marked(project, shape.files[shape.changed] as string, "after")}`,
        shape.programs?.includes(shape.changed) ? "x" : undefined,
      );
      expect(await ran()).toEqual([]);
    });
  },
);
