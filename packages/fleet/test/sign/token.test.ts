import { expect, test } from "vitest";
import { userToken } from "../../src/identity/tokens.ts";
import { newNkey } from "../../src/sign/nkey.ts";
import { readToken } from "../../src/sign/token.ts";
import { type Question, readQuestion, writeQuestion } from "../../src/wire/question.ts";

const signer = newNkey("account");
const account = newNkey("account");
const user = newNkey("user");
/** Epoch seconds. */
const NOW = 1_800_000_000;

const question: Question = {
  v: 1,
  id: "AAAAAAAAAAAAAAAAAAAAAA",
  machine: "laptop-1",
  session: "s1",
  pass: 1,
  event: "tool.before",
  deadlineMs: 10_000,
  bundle: "0123456789abcdef".repeat(4),
  payload: {},
};

test("a token that was read before is still read as signed by its own key only", async () => {
  const token = await userToken("laptop-1", user, { signer, account });
  const read = readToken(token);
  expect(read).toMatchObject({ name: "laptop-1", sub: user.public, iss: signer.public, account: account.public });
  expect(readToken(token)).toEqual(read);
  const [head, body, signature = ""] = token.split(".");
  const other = await userToken("laptop-2", user, { signer, account });
  expect(readToken([head, other.split(".")[1], signature].join("."))).toBeUndefined();
  for (const changed of [`${token}A`, `${token}.`, `${head}.${body}`, ` ${token}`, token.toLowerCase()])
    expect(readToken(changed)).toBeUndefined();
});

test("a token that was read before still expires, and still counts in its own fleet only", async () => {
  const token = await userToken("laptop-1", user, { signer, account, exp: NOW });
  const fleet = { account: account.public, signers: { agent: signer.public } as never };
  const bytes = writeQuestion(question, { key: user });
  for (let times = 0; times < 2; times++) {
    expect(readQuestion(bytes, token, fleet, (NOW - 1) * 1000)).toMatchObject({ ok: true });
    expect(readQuestion(bytes, token, fleet, NOW * 1000)).toEqual({ ok: false, problem: "its token has expired" });
    const other = { ...fleet, signers: { agent: newNkey("account").public } as never };
    expect(readQuestion(bytes, token, other, (NOW - 1) * 1000)).toMatchObject({ ok: false });
  }
});
