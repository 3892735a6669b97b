import { join, relative } from "node:path";
import { root } from "./step.ts";

/**
 * Builds the inspector's page into the agent's package. Returns the source files that it contains, relative to the
 * root.
 */
export async function buildInspector(): Promise<readonly string[]> {
  const { build } = await import("vite");
  const { NODE_ENV } = process.env;
  const built = await build({
    configFile: join(root, "packages/inspector/vite.config.ts"),
    configLoader: "native",
    logLevel: "warn",
  });
  // Vite sets NODE_ENV for the whole process. Programs that are started later must not inherit it: npm would leave out
  // packages that only tests need.
  if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = NODE_ENV;
  if (!("output" in built)) throw new Error("Vite has built more than one page, or is watching for changes.");
  const modules = built.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return modules.filter((id) => id.startsWith(root)).map((id) => relative(root, id.replace(/\?.*$/, "")));
}
