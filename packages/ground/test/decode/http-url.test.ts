import { expect, test } from "vitest";
import { allowedUrl, hookUrl } from "../../src/decode/http-url.ts";

test.each([
  ["https://hooks.example.com/a?b=c", false],
  ["https://hooks.example.com:8443", false],
  ["https://10.0.0.5/", false],
  ["http://localhost:8080/hook", true],
  ["HTTP://LOCALHOST:8080/hook", true],
  ["http://localhost.:8080/hook", true],
  ["http://app.localhost/hook", true],
  ["http://127.0.0.1/", true],
  ["http://127.1/", true],
  ["http://0x7f000001/", true],
  ["http://2130706433/", true],
  ["http://[::1]:3000/", true],
  ["https://localhost/", true],
] as const)("%s may be asked", (text, isLocal) => {
  expect(hookUrl(text)).toMatchObject({ url: expect.any(URL), isLocal });
});

test.each([
  ["hooks.example.com/a", /cannot be read/],
  ["", /cannot be read/],
  ["https://", /cannot be read/],
  ["ftp://example.com/", /use https or/],
  ["file:///etc/passwd", /use https or/],
  ["https://me:secret@example.com/", /user or password/],
  ["https://me@example.com/", /user or password/],
  ["http://example.com/", /without encryption/],
  ["http://localhost.example.com/", /without encryption/],
  ["http://notlocalhost/", /without encryption/],
  ["http://127.0.0.1.example.com/", /without encryption/],
  ["http://10.0.0.1/", /without encryption/],
  ["http://0.0.0.0/", /without encryption/],
  ["http://[::]/", /without encryption/],
  ["http://[::ffff:127.0.0.1]/", /without encryption/],
] as const)("%s is refused, in words that hold nothing secret", (text, problem) => {
  const read = hookUrl(text) as { readonly problem: string };
  expect(read.problem).toMatch(problem);
  expect(read.problem).not.toContain("secret");
});

test.each([
  [undefined, "https://anything.example/x", true],
  [[], "https://anything.example/x", false],
  [["https://hooks.example.com/*"], "https://hooks.example.com/", true],
  [["https://hooks.example.com/*"], "https://hooks.example.com/a/b?c=d", true],
  [["https://hooks.example.com/*"], "https://HOOKS.example.com:443/a", true],
  [["https://Hooks.Example.com:443/*"], "https://hooks.example.com/a", true],
  [["https://hooks.example.com/*"], "http://hooks.example.com/a", false],
  [["https://hooks.example.com/*"], "https://hooks.example.com:8443/a", false],
  [["https://hooks.example.com/*"], "https://hooks.example.com.evil.test/a", false],
  [["https://hooks.example.com/*"], "https://evil.test/https://hooks.example.com/", false],
  [["https://hooks.example.com/*"], "https://hooks.example.com@evil.test/", false],
  [["https://hooks.example.com/a/*"], "https://hooks.example.com/a/../b", false],
  [["https://hooks.example.com/a/*"], "https://hooks.example.com/a/%2e%2e/b", false],
  [["https://hooks.example.com"], "https://hooks.example.com/", true],
  [["https://hooks.example.com"], "https://hooks.example.com/a", false],
  [["https://hooks.example.com/a"], "https://hooks.example.com/a", true],
  [["https://hooks.example.com/a"], "https://hooks.example.com/a?b", false],
  [["https://hooks.example.com/a"], "https://hooks.example.com/A", false],
  [["https://*.example.com/*"], "https://a.b.example.com/x", true],
  [["https://*.example.com/*"], "https://example.com/x", false],
  [["https://*.example.com/*"], "https://evil.test/.example.com/x", false],
  [["https://*.example.com/*"], "https://evil.test?.example.com/x", false],
  [["https://*.example.com/*"], "https://evil.test#.example.com/x", false],
  [["https://*.example.com/*"], "https://evil.test\\.example.com/x", false],
  [["http://localhost:*"], "http://localhost:8080/hook", true],
  [["http://localhost:*"], "http://localhost/hook", true],
  [["http://localhost:*"], "http://localhost:pw@evil.test/", false],
  [["http://localhost:*"], "http://localhost.evil.test:80/", false],
  [["http://localhost:*/hook"], "http://localhost:8080/hook", true],
  [["http://localhost:*/hook"], "http://localhost:8080/other", false],
  [["http://127.0.0.1:7777/*"], "http://127.1:7777/a", true],
  [["http://[::1]:*"], "http://[0:0::1]:90/a", true],
  [["*"], "https://anything.example/x", true],
  [["https://*"], "https://anything.example:8443/x", true],
  [["https://*"], "http://localhost/x", false],
  [["*://localhost/*"], "http://localhost/x", true],
  [["https://h/*/b/*c"], "https://h/a/b/xxc", true],
  [["https://h/*/b/*c"], "https://h/a/b/xx", false],
  [["https://h/a*a"], "https://h/a", false],
  [["h.example.com/*"], "https://h.example.com/x", false],
  [[""], "https://h/", false],
  [["https://a/*", "https://b/*"], "https://b/x", true],
  [["https://a/*"], "no url", false],
] as const)("the list %j lets %s be asked: %s", (patterns, url, isAllowed) => {
  expect(allowedUrl(patterns, url)).toBe(isAllowed);
});

test("a pattern of many wildcards is looked at once, not in every way", () => {
  const pattern = `https://h/${"a*".repeat(5000)}b`;
  expect(allowedUrl([pattern], `https://h/${"a".repeat(20_000)}`)).toBe(false);
});
