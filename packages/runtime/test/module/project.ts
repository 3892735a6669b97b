import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ModuleCall, ModuleReport } from "../../src/port/module.ts";

type Provided = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A folder of source files that is gone when the test ends. */
export class Project implements Disposable {
  readonly folder: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-module-")));
    this.write(files);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  /** A call for one of the files, with the modules that the host provides. */
  call(name: string, provided: Provided = {}): ModuleCall & { readonly missing: string[] } {
    const missing: string[] = [];
    return {
      path: this.path(name),
      missing,
      provides: (specifier) => Object.hasOwn(provided, specifier),
      provide: async (specifier) => provided[specifier],
      onMissing: ({ file, specifier, name: lacking }) =>
        missing.push(`${file.slice(this.folder.length + 1)}: ${specifier} ${lacking}`),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The exports of a load that must have succeeded. */
export function exportsOf(report: ModuleReport): Record<string, any> {
  if (!report.ok)
    throw new Error(`${report.phase}: ${report.message} (${report.file}:${report.line ?? "?"})`, {
      cause: report.cause,
    });
  return report.exports;
}

/** The report of a load that must have failed. */
export function failureOf(report: ModuleReport): Extract<ModuleReport, { ok: false }> {
  if (report.ok) throw new Error("the load succeeded");
  return report;
}
