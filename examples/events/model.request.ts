import { guard } from "@hookline/runtime/guard";

const request = (content: string) => ({
  model: { id: "sample", provider: "sample" },
  systemPrompt: "",
  messages: [{ role: "user", content, timestamp: 0 }],
  tools: [],
});

export default guard({
  name: "no-internal-hosts",
  on: "model.request",
  run: ({ request }) => (/\.corp\.example\b/.test(JSON.stringify(request.messages)) ? { stop: true } : undefined),
  cases: [
    { payload: { request: request("See wiki.corp.example") }, expect: "deny" },
    { payload: { request: request("See the wiki") }, expect: "none" },
  ],
});
