import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

/** A person's empty home and a project, which are removed at the end. */
export class Place implements Disposable {
  readonly top = temporaryFolder();
  readonly home = join(this.top, "home");
  /** The folder in which the person stands. */
  project = join(this.top, "project");

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
  }

  /** Writes a file below the home (`~/`) or the project; gives its path. */
  write(path: string, text: string | Buffer): string {
    const full = this.at(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  read(path: string): string | undefined {
    return existsSync(this.at(path)) ? readFileSync(this.at(path), "utf8") : undefined;
  }

  at(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }
}
