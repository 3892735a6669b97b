import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Workplace } from "./cli.ts";

/** A version of a package. */
interface Tarball {
  readonly version?: string;
  readonly bytes: Buffer;
  readonly manifest: object;
}

/** The body that `npm publish` sends. */
interface Published {
  readonly versions: Readonly<Record<string, object>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** A registry of npm and a server of git repositories, both on loopback. */
export class Sources {
  readonly #place: Workplace;
  readonly #servers: Server[] = [];
  readonly #published = new Map<string, Map<string, Tarball>>();
  /** The headers of each request. */
  readonly heard: IncomingHttpHeaders[] = [];

  constructor(place: Workplace) {
    this.#place = place;
  }

  /** Packs a package as the registry would have it. */
  packed(name: string, manifest: object, files: Readonly<Record<string, string>>): Buffer {
    const folder = `../packed/${name.replace("/", "+")}`;
    this.#place.write(`${folder}/package.json`, JSON.stringify({ name, version: "1.2.3", ...manifest }));
    for (const [path, text] of Object.entries(files)) this.#place.write(`${folder}/${path}`, text);
    const env = { ...process.env, npm_config_cache: join(this.#place.top, "npm"), HOME: this.#place.home };
    const full = join(this.#place.project, folder);
    const out = execFileSync("npm", ["pack", "--json", "--offline", "--ignore-scripts"], {
      cwd: full,
      env,
      encoding: "utf8",
    });
    return readFileSync(join(full, (JSON.parse(out) as { filename: string }[])[0]?.filename as string));
  }

  /** A registry with these packages, each in one version, 1.2.3 by default; gives the variables that lead npm to it. */
  async registry(tarballs: Readonly<Record<string, Tarball>>) {
    for (const [name, tarball] of Object.entries(tarballs)) this.publish(name, tarball);
    const url = await this.#serve(async (request, response) => {
      const path = decodeURIComponent(request.url ?? "/").slice(1);
      if (request.method === "PUT") return void response.end(JSON.stringify(await this.#publishes(path, request)));
      const [name = "", file] = path.split("/-/");
      const versions = this.#published.get(name);
      if (versions === undefined) return void response.writeHead(404).end("{}");
      if (file !== undefined) return void response.end(versions.get(file.replace(/\.tgz$/, ""))?.bytes);
      const shown = [...versions].map(([version, { bytes, manifest }]) => {
        const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
        const dist = { tarball: `${url}/${name}/-/${version}.tgz`, integrity };
        return [version, { name, version, ...manifest, dist }] as const;
      });
      response.setHeader("content-type", "application/json");
      const latest = shown.at(-1)?.[0];
      response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(shown) }));
    });
    return { npm_config_registry: url, npm_config_cache: join(this.#place.top, "npm") };
  }

  /** Puts a version into the registry, or other bytes under one that is there. */
  publish(name: string, { version = "1.2.3", ...tarball }: Tarball): void {
    const versions = this.#published.get(name) ?? new Map<string, Tarball>();
    this.#published.set(name, versions.set(version, tarball));
  }

  /** Takes what `npm publish` sends. */
  async #publishes(name: string, request: Readable): Promise<object> {
    const body = JSON.parse(await text(request)) as Published;
    const [version = ""] = Object.keys(body.versions);
    const bytes = Buffer.from(Object.values(body._attachments)[0]?.data ?? "", "base64");
    this.publish(name, { version, bytes, manifest: body.versions[version] ?? {} });
    return { ok: true };
  }

  /** A repository `me/tools`, one commit and one tag for each set of files; gives its address. */
  async repository(...commits: readonly Readonly<Record<string, string>>[]): Promise<string> {
    const source = join(this.#place.top, "origin/work");
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: source, stdio: "ignore" });
    mkdirSync(source, { recursive: true });
    git("init", "-q");
    for (const [i, files] of commits.entries()) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(source, path)), { recursive: true });
        writeFileSync(join(source, path), text, { mode: 0o755 });
      }
      git("add", "-Af");
      git("commit", "-qm", `${i + 1}`);
      git("tag", `v${i + 1}`);
    }
    const bare = join(this.#place.top, "origin/me/tools");
    git("clone", "-q", "--bare", source, bare);
    execFileSync("git", ["update-server-info"], { cwd: bare });
    return `${await this.origin()}/me/tools`;
  }

  /** Serves the bare repositories in the folder `origin`; gives their address. */
  origin(): Promise<string> {
    return this.#serve((request, response) => {
      const path = new URL(request.url ?? "/", "http://x").pathname;
      try {
        response.end(readFileSync(join(this.#place.top, "origin", path)));
      } catch {
        response.writeHead(404).end();
      }
    });
  }

  close(): void {
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #serve(answer: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      this.heard.push(request.headers);
      answer(request, response);
    });
    this.#servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
