import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownSecrets } from "../../src/secrets/known.ts";
import { redact, SecretNames } from "../../src/secrets/redact.ts";
import { unwrapped } from "../../src/secrets/unwrap.ts";
import { corpus, made, seeded } from "./corpus.ts";

const key = (seed: number): string => made("sk_<>live_<<alnum 24>>", seeded(seed));

test("the same key has the same name for a session, another one another", () => {
  const names = new SecretNames();
  expect(redact(`${key(1)} ${key(2)}`, names).text).toBe("[secret: stripe key 1] [secret: stripe key 2]");
  expect(redact(`again ${key(2)}`, names).text).toBe("again [secret: stripe key 2]");
});

test("a key has the same name in base64 and between colours", () => {
  const names = new SecretNames();
  redact(key(1), names);
  expect(redact(`\x1b[31m${key(1).slice(0, 9)}\x1b[0m${key(1).slice(9)}`, names).text).toContain(
    "[secret: stripe key 1]",
  );
  const coded = redact(Buffer.from(`key = ${key(1)};`).toString("base64"), names);
  expect(coded.findings.map(({ name }) => name)).toEqual(["stripe key 1"]);
});

test("a key is found in UTF-16", () => {
  expect(redact([..."use ", ...key(1)].join("\0"), new SecretNames()).text).toMatch(/stripe key 1\]$/);
});

test("a redacted text stays as it is", () => {
  for (const group of ["must", "should"] as const)
    for (const { text } of corpus(group, 7)) {
      const once = redact(text, new SecretNames()).text;
      expect(redact(once, new SecretNames()).text).toBe(once);
    }
});

test("only the secret is replaced, in the original text", () => {
  const text = `  1\tconst a = "${key(1)}";\n  2\tconst b = 2;\n`;
  expect(redact(text, new SecretNames()).text).toBe(`  1\tconst a = "[secret: stripe key 1]";\n  2\tconst b = 2;\n`);
});

/** Returns a text as `xxd` prints it. */
function dumpOf(text: string): string {
  const lines = text.match(/.{1,16}/g) ?? [];
  return lines
    .map((line, at) => {
      const bytes = Buffer.from(line)
        .toString("hex")
        .replace(/.{4}(?=.)/g, "$& ");
      return `${(at * 16).toString(16).padStart(8, "0")}: ${bytes.padEnd(39)}  ${line}\n`;
    })
    .join("");
}

test("a key is found in any wrapping, and in wrappings of two kinds", () => {
  const wraps: ((one: string) => string)[] = [
    (one) => `\x1b[1;31m${one}\x1b[0m`,
    (one) => `${one.slice(0, 12)}\x1b[0m\x1b[K${one.slice(12)}`,
    (one) => JSON.stringify({ a: `x\n${one}\n` }),
    (one) => `${one.slice(0, 14)}\\\n${one.slice(14)}`,
    (one) => `"${one.slice(0, 12)}" +\n    "${one.slice(12)}"`,
    (one) => `  7→${one}`,
    (one) => `@@ -1 +1 @@\n+${one}\n-${one}`,
    (one) => `%22${one}%22`,
    (one) => `&quot;${one}&quot;`,
    (one) => `${one.slice(0, 10)}\u200b${one.slice(10)}`,
    (one) => `"${one.slice(0, 12)}" .. "${one.slice(12)}"`,
    (one) => `["${one.slice(0, 8)}", "${one.slice(8, 16)}", "${one.slice(16)}"].join("")`,
    (one) => [...one].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join(""),
    (one) => `^[[32m${one}^[[0m`,
    (one) => Buffer.from(one).toString("hex"),
    (one) => `\n${dumpOf(one)}`,
  ];
  const pick = fc.integer({ min: 0, max: wraps.length - 1 });
  // A wrapping that cuts what it is given would cut the escapes of another.
  const whole = fc.constantFrom(0, 2, 5, 6, 7, 8);
  fc.assert(
    fc.property(whole, pick, fc.integer(), (first, second, seed) => {
      const text = `a ${wraps[first]?.(`b ${wraps[second]?.(key(seed)) ?? ""} c`) ?? ""} d`;
      const clean = redact(text, new SecretNames());
      expect(clean.text).not.toContain(key(seed).slice(14));
      expect(clean.findings.length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});

test("ranges of an unwrapped text lead back to the original", () => {
  const part = fc.constantFrom(
    "a",
    "KEY",
    "\x1b[31m",
    "\x1b[0m",
    "\\n",
    "\\\n",
    "%41",
    '"+"',
    "\n",
    "12\t",
    "+",
    " ",
    "&quot;",
    "\\u0041",
    "\u200b",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const clean = unwrapped(text);
      let last = 0;
      for (let at = 0; at < clean.text.length; at++) {
        const [start, end] = clean.range(at, at + 1);
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        if (end - start === 1) expect(text[start]).toBe(clean.text[at]);
        last = end;
      }
    }),
    { numRuns: 1000 },
  );
});

test("a secret is found wherever a chunk of a long text ends", () => {
  const fill = "some words that are no secret\n";
  const before = fill.repeat(Math.ceil((128 * 1024) / fill.length)).slice(0, 128 * 1024 - 10);
  const { text, findings } = redact(`${before} ${key(3)} ${fill.repeat(2000)}`, new SecretNames());
  expect(findings).toHaveLength(1);
  expect(text).not.toContain(key(3));
  const value = made("<<alnum 40>>", seeded(3));
  for (let moved = 0; moved < 30; moved++)
    expect(
      redact(`${before.slice(moved)}\npassword: "${value}"\n${fill.repeat(2000)}`, new SecretNames()).text,
    ).not.toContain(value.slice(4, 16));
});

test("a key is named after its service, although other keys begin alike", () => {
  const kinds = [
    "sk-ant-<>api03-<<alnum 93>>AA",
    "sk-<>proj-<<alnum 120>>",
    "sk-or-<>v1-<<hex 64>>",
    "sk-<><<alnum 48>>",
  ];
  const text = kinds.map((one) => made(one, seeded(1))).join("\n");
  expect(redact(text, new SecretNames()).findings.map(({ kind }) => kind)).toEqual([
    "anthropic key",
    "openai key",
    "openrouter key",
    "model key",
  ]);
});

test("the rest of a text is withheld after the time limit, and never passed", () => {
  let time = 0;
  const text = `${"password: x\n".repeat(60_000)}${key(4)}`;
  const { text: clean, withheld } = redact(text, new SecretNames(), undefined, { limitMs: 5, now: () => time++ });
  expect(withheld).toBeGreaterThan(0);
  expect(clean).not.toContain(key(4));
  expect(clean).toMatch(/\[withheld: \d+ characters, which were not searched for secrets within 5 ms\]$/);
});

test("a text under a megabyte is never withheld, whatever it is made of", () => {
  const seeds = [
    "sk-",
    "ghp_",
    "password: ",
    'password="',
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAA",
    "eyJ",
    "eyJhbGciOi.",
    "://",
    "://a:",
    "://a:b@",
    "kind: Secret\ndata:\n  a: ",
    "\\",
    "\\\n",
    "\x1b[",
    "\x1b]",
    '"+"',
    'a"+"b',
    "%41",
    "&quot;",
    "cookie: a=b;",
    "Basic ",
    "curl -u a:",
    "mysql -p",
    "AKIA",
    "key",
    "token ",
    "A",
    "a-",
    "\n",
    " ",
    "12\t",
    "=",
    ":5432:",
    "secret: |\n ",
    '"kty"',
    "PasswordPassword",
    "machine ",
    "-----END PRIVATE KEY-----\n",
    "aaaa/",
    "otpauth://",
    "name: PASSWORD\n",
    "hooks.slack.com/services/",
  ];
  const random = seeded(11);
  const choose = (): string => seeds[Math.floor(random() * seeds.length)] as string;
  for (let round = 0; round < 60; round++) {
    const unit = round < seeds.length ? (seeds[round] as string) : choose() + choose() + choose();
    const text = unit.repeat(Math.ceil(20_000 / unit.length));
    let asked = 0;
    // The clock counts how often the search asks, so that the test says nothing about this machine's speed.
    const { withheld } = redact(text, new SecretNames(), undefined, { limitMs: 1_000_000, now: () => asked++ });
    expect(withheld).toBe(0);
  }
});

test("known values are found as they are and in the forms that programs write", () => {
  const value = made('<<alnum 10>>/+=<<alnum 9>>"x', seeded(5));
  const known = new KnownSecrets();
  known.add("ACME_KEY", value);
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value),
    Buffer.from(value).toString("hex"),
    Buffer.from(value).toString("hex").toUpperCase(),
    ...["", "a", "ab"].map((before) => Buffer.from(`${before}${value}tail`).toString("base64")),
    Buffer.from(`a${value}`).toString("base64url"),
  ];
  for (const form of forms) {
    const { text, findings } = redact(`x ${form} y`, new SecretNames(), known);
    expect(findings.map(({ name }) => name)).toEqual(["ACME_KEY 1"]);
    expect(text).not.toContain(form.slice(4, 16));
  }
  expect(redact(`x ${value.slice(0, -1)} y`, new SecretNames(), known).text).toContain(value.slice(0, -1));
});

test("known values are taken from files and variables only if they are secrets", () => {
  const known = new KnownSecrets();
  known.addFile(
    '# a comment\nPORT=3000\nexport API_KEY="k9-Zu7-ppQ2"\nDB_PASSWORD=postgres\nHOST=db.acme.dev\nURL=postgres://a:Zk39dkq1@h/x\n',
  );
  known.addVariable("HOME", "/home/somebody");
  known.addVariable("NAME", "development");
  const { text } = redact(
    "k9-Zu7-ppQ2 Zk39dkq1 postgres 3000 /home/somebody development db.acme.dev",
    new SecretNames(),
    known,
  );
  expect(text).toBe("[secret: API_KEY 1] [secret: URL 1] postgres 3000 /home/somebody development db.acme.dev");
});

test("the rest of a text is withheld where known values are looked for too long", () => {
  const known = new KnownSecrets();
  known.add("A", "abcdefg1-and-more");
  let time = 0;
  const { withheld } = redact("abcdefg1-and-less ".repeat(5_000), new SecretNames(), known, {
    limitMs: 40,
    now: () => time++,
  });
  expect(withheld).toBeGreaterThan(0);
});

test("known values are held as digests and lengths", () => {
  const known = new KnownSecrets();
  known.add("A", "k9-Zu7-ppQ2");
  expect(JSON.stringify(known, Object.getOwnPropertyNames(known))).not.toContain("ppQ2");
});
