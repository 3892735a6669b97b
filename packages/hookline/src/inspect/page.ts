import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
};

/** A file of the inspector's page, as the server sends it. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The page's files by their addresses. Only these are served, so an address is never used as a path. */
export type Page = ReadonlyMap<string, PageFile>;

/** Reads the built page; throws if it was not built. */
export function readPage(folder: string = pageFolder()): Page {
  const page = new Map<string, PageFile>();
  if (!existsSync(folder))
    throw new Error(`The inspector's page is not in ${folder}. Build it with \`npm run build\`.`);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const address = path.slice(folder.length).replaceAll("\\", "/").replace(/^\/?/, "/");
    page.set(address, { type, bytes: readFileSync(path) });
  }
  const start = page.get("/index.html");
  if (start === undefined)
    throw new Error(`The inspector's page is not in ${folder}. Build it with \`npm run build\`.`);
  page.set("/", start);
  return page;
}

/** Returns the page's folder: beside the bundle, or in `dist` when run from source. */
function pageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, "inspector");
  return existsSync(built) ? built : join(here, "../../dist/inspector");
}
