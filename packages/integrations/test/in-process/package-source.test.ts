import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../../../runtime/test/laws/seed.ts";
import { readPackageSource } from "../../src/in-process/package-source.ts";

const word = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/);
const top = fc.stringMatching(/^[a-z]{2,6}$/);
const address = fc
  .tuple(fc.integer({ min: 1, max: 255 }), fc.integer({ min: 0, max: 255 }))
  .map(([a, b]) => `${a}.0.${b}.1`);
const name = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), top)
  .map(([labels, end]) => [...labels, end].join("."));
const host = fc.oneof(name, address);
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
const below = fc
  .array(fc.stringMatching(/^[a-z][\w-]{0,9}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const ref = fc.option(
  fc.stringMatching(/^[a-z0-9][\w.]{0,8}$/).filter((text) => !text.includes("..")),
  { nil: undefined },
);
const form = fc.constantFrom(
  "git:",
  "git:https://",
  "https://",
  "http://",
  "ssh://git@",
  "git://",
  "git@",
  "git:git@",
  "github:",
  "git:github:",
);

function hostOf(url: string): string {
  const login = /^git@([^:]+):/.exec(url);
  return login === null ? new URL(url).host : (login[1] as string);
}

test("a source of git means the host that it names, with any host, port and path", () => {
  fc.assert(
    fc.property(form, host, port, below, ref, (start, there, at, path, version) => {
      const isGithub = start.includes("github:");
      const isLogin = start.includes("git@") && !start.includes("//");
      const number = isLogin || isGithub || at === undefined ? "" : `:${at}`;
      const place = isGithub ? "me/" : `${there}${number}${isLogin ? ":" : "/"}`;
      const read = readPackageSource(`${start}${place}${path}${version === undefined ? "" : `@${version}`}`);
      expect(read?.kind).toBe("git");
      if (read?.kind !== "git") return;
      const wanted = isGithub ? "github.com" : `${there}${number}`;
      // A URL leaves out the port that its protocol has anyway.
      expect(hostOf(read.url)).toBe(isLogin ? wanted : new URL(`${new URL(read.url).protocol}//${wanted}/`).host);
      expect(read.url.replace(/\.git$/, "").endsWith(`${isLogin ? ":" : "/"}${path}`)).toBe(true);
      expect(read.ref).toBe(version);
    }),
    { seed, numRuns: 5000 },
  );
});

test("whatever the text, it is read with the host that is in it, or refused", () => {
  const piece = fc.constantFrom(
    ":",
    "/",
    "@",
    ".",
    "-",
    "..",
    "8443",
    "git",
    "h.test",
    "tool",
    "\\",
    "%2f",
    "#",
    "?",
    " ",
    "\n",
    "[::1]",
    "http:",
    "_",
  );
  const text = fc
    .tuple(form, fc.array(fc.oneof(piece, word), { maxLength: 10 }))
    .map(([start, rest]) => start + rest.join(""));
  fc.assert(
    fc.property(text, (source) => {
      const read = readPackageSource(source);
      if (read?.kind !== "git") return;
      const found = hostOf(read.url);
      expect(found).not.toBe("");
      if (/^(git:)?github:/.test(source)) {
        expect(found).toBe("github.com");
        return;
      }
      const behind = source
        .replace(/^git:(?!\/\/)/, "")
        .replace(/^[a-z]+:\/\//, "")
        .replace(/^[\w.-]*@/, "");
      const shown = found.split(":")[0] as string;
      expect(behind.startsWith(shown)).toBe(true);
      expect(behind.slice(shown.length)).toMatch(/^[/:]/);
    }),
    { seed, numRuns: 20_000 },
  );
});

test.each([
  ["git:git.zx2c4.com/wireguard-tools", "https://git.zx2c4.com/wireguard-tools"],
  ["git:git.example.com/tool", "https://git.example.com/tool"],
  ["git:host.tld:8443/tool", "https://host.tld:8443/tool"],
  ["git:github.com:me/tools@v1", "https://github.com/me/tools"],
  ["github:me/tools", "https://github.com/me/tools"],
  ["git@github.com:me/tools.git@main", "git@github.com:me/tools.git"],
  ["ssh://git@host.test:22/~me/tools", "ssh://git@host.test:22/~me/tools"],
  ["https://intranet/tools.git", "https://intranet/tools"],
])("%s is %s", (text, url) => expect(readPackageSource(text)).toMatchObject({ kind: "git", url }));

test.each([
  "git:me/tools",
  "github:me",
  "git:127.1/tool",
  "git:0x7f.0.0.1/tool",
  "git:tool",
  "git:h.test",
  "git:h.test/",
  "git:h.test:8443",
  "git:h.test:99999/tool",
  "git:-oProxyCommand=x/tool",
  "ssh://-oProxyCommand=x/tool",
  "git:h.test/../tool",
  "git:h.test/-tool",
  "git:h.test/tool@--upload-pack=x",
  "git:h.test/tool@a..b",
  "https://h.test@evil.test/tool@x@y",
  "https://me:secret@h.test/tool",
  "git:file:///tmp/tool",
  "git:ext::sh -c x",
  "npm:..",
  "npm:./tool",
  "npm:-g",
  "npm:tool@file:x",
  "npm:tool@git:x",
  "npm:tool@1 --global",
  "npm:@me/../tool",
])("%s names no package", (text) => expect(readPackageSource(text)).toBeUndefined());
