import { guard } from "@hookline/runtime/guard";

const KEY = /\bsk-[A-Za-z0-9]{8,}/g;

export default guard({
  name: "no-keys-in-replies",
  on: "reply.before",
  run: ({ text }) =>
    text.includes("PRIVATE KEY-----")
      ? { stop: true, reason: "The reply has a private key." }
      : { text: text.replaceAll(KEY, "[a key]") },
  cases: [
    { payload: { text: "It is sk-0123456789." }, expect: { decision: "edit", edit: { text: "It is [a key]." } } },
    { payload: { text: "-----BEGIN PRIVATE KEY-----" }, expect: "deny" },
    { payload: { text: "It is in the settings." }, expect: "none" },
  ],
});
