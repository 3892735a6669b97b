import { guard } from "@hookline/runtime/guard";

const KEY = /\bsk-[A-Za-z0-9]{8,}/g;

export default guard({
  name: "no-keys-in-replies",
  on: "reply.before",
  run({ text }) {
    if (text.includes("PRIVATE KEY-----")) return { stop: true, reason: "The reply has a private key." };
    const left = text.replaceAll(KEY, "[a key]");
    return left === text ? undefined : { text: left };
  },
  cases: [
    { payload: { text: "It is sk-0123456789." }, expect: { decision: "edit", edit: { text: "It is [a key]." } } },
    { payload: { text: "-----BEGIN PRIVATE KEY-----" }, expect: "deny" },
    { payload: { text: "It is in the settings." }, expect: "none" },
  ],
});
