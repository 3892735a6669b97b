import fc from "fast-check";
import { expect, test } from "vitest";
import { fillHeaders, headersProblem } from "../../src/decode/http-headers.ts";

const ENV = { TOKEN: "t0k", TEAM: "blue", OTHER: "o", NESTED: "$TOKEN", ANTHROPIC_API_KEY: "sk", EMPTY: "" };

test.each([
  ["Bearer $TOKEN", "Bearer t0k"],
  ["Bearer \x24{TOKEN}", "Bearer t0k"],
  ["\x24{TOKEN}\x24{TEAM}-$TEAM", "t0kblue-blue"],
  ["$TOKENS", ""],
  ["\x24{TOKEN}S", "t0kS"],
  ["$NESTED", "$TOKEN"],
  ["$EMPTY|", "|"],
  ["$", "$"],
  ["$1 \x24{} \x24{TOKEN \x24{TOKEN:-x} $$TOKEN", "$1 \x24{} \x24{TOKEN \x24{TOKEN:-x} $t0k"],
])("%s is sent as %s", (value, sent) => {
  const { headers } = fillHeaders({ "X-A": value }, ["TOKEN", "TEAM", "NESTED", "EMPTY"], ENV);
  expect(headers).toEqual({ "X-A": sent });
});

test("what is not filled in is empty, and named by its cause", () => {
  const headers = { a: "$OTHER $OTHER \x24{TOKEN}", b: "$MISSING", c: "$ANTHROPIC_API_KEY", d: "$toString" };
  expect(fillHeaders(headers, ["TOKEN", "MISSING", "ANTHROPIC_API_KEY", "toString"], ENV)).toEqual({
    headers: { a: "  t0k", b: "", c: "", d: "" },
    unlisted: ["OTHER"],
    unset: ["MISSING", "toString"],
    withheld: ["ANTHROPIC_API_KEY"],
  });
});

test("without a list nothing is filled in, and names of headers are left alone", () => {
  expect(fillHeaders({ "X-$TOKEN": "$TOKEN" }, [], ENV)).toMatchObject({
    headers: { "X-$TOKEN": "" },
    unlisted: ["TOKEN"],
  });
});

test.each([
  ["Host", "evil.test"],
  ["host", "x"],
  ["Content-Length", "0"],
  ["Transfer-Encoding", "chunked"],
  ["Connection", "close"],
  ["Upgrade", "h2c"],
  ["Expect", "100-continue"],
  ["Proxy-Authorization", "x"],
  ["Accept-Encoding", "gzip"],
  ["Content-Type", "text/plain"],
  ["Content-Type", "application/jsonp"],
  ["X-A: b\r\nHost", "x"],
  ["X A", "x"],
  ["", "x"],
  ["X-Ä", "x"],
])("the header %j: %j is refused", (name, value) => {
  expect(headersProblem({ [name]: value })).toEqual(expect.any(String));
});

test.each(["a\r\nX-B: c", "a\nb", "token\n", "a\rb", "a\0b", "a\x7fb", "日本"])(
  "the value %j is refused, unnamed",
  (value) => {
    const problem = headersProblem({ "X-A": value });
    expect(problem).toContain("X-A");
    expect(problem).not.toContain(value);
  },
);

test.each([
  ["Authorization", "Bearer abc.def=="],
  ["Content-Type", "application/json"],
  ["content-type", "Application/JSON; charset=utf-8"],
  ["Accept", "*/*"],
  ["User-Agent", "mine/1"],
  ["X-Empty", ""],
  ["X-Tab", "a\tb"],
  ["X-Latin", "caf\u00e9"],
])("the header %s: %s is sent", (name, value) => {
  expect(headersProblem({ [name]: value })).toBeUndefined();
});

test("no variable gets a line into the headers", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const { headers } = fillHeaders({ "X-A": "a $V b" }, ["V"], { V: value });
      expect(headersProblem(headers) === undefined).toBe(!/[^\t\x20-\x7e\x80-\xff]/.test(value));
    }),
  );
});
