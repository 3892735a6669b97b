import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProviderKey } from "../../src/decode/provider-keys.ts";
import { createRedactor } from "../../src/decode/redact.ts";

const plain = createRedactor({});

describe("taking secrets out of a text", () => {
  it("removes the value of every provider key, wherever it stands", () => {
    const value = fc
      .string({ minLength: 8, maxLength: 60, unit: "grapheme-ascii" })
      .filter((one) => !/^\[|\[$/.test(one));
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        const redact = createRedactor({ OPENAI_API_KEY: secret });
        fc.pre(!"[OPENAI_API_KEY]".includes(secret));
        expect(redact(before + secret + after)).not.toContain(secret);
        expect(redact(`?key=${encodeURIComponent(secret)}`)).not.toContain(encodeURIComponent(secret));
      }),
    );
  });

  it("names what it removed", () => {
    const redact = createRedactor(
      { ANTHROPIC_API_KEY: "correct horse", HOUSE: "battery staple", EDITOR: "vi vi vi vi" },
      ["HOUSE"],
    );
    expect(redact("correct horse, battery staple, vi vi vi vi")).toBe("[ANTHROPIC_API_KEY], [HOUSE], vi vi vi vi");
  });

  it("removes the longer of two keys that begin alike", () => {
    const redact = createRedactor({ OPENAI_API_KEY: "12345678", XAI_API_KEY: "123456789abc" });
    expect(redact("123456789abc 12345678")).toBe("[XAI_API_KEY] [OPENAI_API_KEY]");
  });

  it("leaves values alone that are no longer than a word", () => {
    expect(createRedactor({ OPENAI_API_KEY: "none" })("none of it")).toBe("none of it");
  });

  it.each([
    `sk-ant-api03-${"a".repeat(40)}`,
    `sk-proj-${"A1_-".repeat(10)}`,
    `AIza${"b".repeat(35)}`,
    `gsk_${"c".repeat(40)}`,
    `ghp_${"d".repeat(36)}`,
    `github_pat_${"e".repeat(40)}`,
    `xoxb-${"1".repeat(12)}-${"f".repeat(12)}`,
    `AKIA${"G".repeat(16)}`,
    `eyJ${"h".repeat(20)}.${"i".repeat(20)}.${"j".repeat(20)}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${"k".repeat(64)}\n-----END RSA PRIVATE KEY-----`,
  ])("knows a key by its shape: %s", (key) => {
    const clean = plain(`before ${key} after`);
    expect(clean).toMatch(/^before \[[a-z ]+\] after$/);
  });

  it.each([
    ["Authorization: Bearer abcdef0123456789", "Authorization: Bearer [token]"],
    ["https://user:hunter2@example.org/x", "https://user:[password]@example.org/x"],
    ['{"apiKey":"0123456789"}', '{"apiKey":"[secret]"}'],
    ["MY_SECRET=0123456789 next", "MY_SECRET=[secret] next"],
    ["password: 'hunter22'", "password: '[secret]'"],
  ])("knows a secret by what announces it: %s", (text, clean) => {
    expect(plain(text)).toBe(clean);
  });

  it("leaves ordinary texts as they are", () => {
    const text =
      'Hook "guard" (/home/u/.hooks/config.json:12) timed out after 60000 ms; the password was not asked for.';
    expect(plain(text)).toBe(text);
  });

  it("takes a megabyte of beginnings without end", () => {
    for (const start of ["sk-", "eyJaaaaaaaaa.", "bearer ", "://a:", "-----BEGIN PRIVATE KEY-----", "a_", "api_key"]) {
      expect(typeof plain(start.repeat(200_000))).toBe("string");
    }
  });
});

describe("names of provider keys", () => {
  it.each([
    "OPENAI_API_KEY",
    "OPENAI_API_KEY_2",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CO_API_KEY",
    "HF_TOKEN",
  ])("%s is one", (name) => expect(isProviderKey(name)).toBe(true));

  it.each([
    "GITHUB_TOKEN",
    "OPENAI_BASE_URL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "MY_OPENAI_API_KEY_FILE",
    "API_KEY",
    "COLOR_TOKEN",
  ])("%s is none", (name) => expect(isProviderKey(name)).toBe(false));
});
