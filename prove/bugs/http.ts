import type { Bug } from "./bug.ts";

const CONNECT = "transport/http/connect.ts";
const EXCHANGE = "transport/http/exchange.ts";
const TRANSPORT = "transport/http/transport.ts";
const ADDRESSES = "http/addresses.test.ts";
const KEPT = "http/keep-alive.test.ts";

/** Bugs in how hooks at URLs are asked. */
export const http: readonly Bug[] = [
  {
    name: "a second look-up",
    says: "the address that was judged is not the one that is asked, so that a name server leads a hook into a network",
    patches: [
      {
        file: CONNECT,
        from: "      done(null, pinned),",
        to: "      void resolve(host).then((found) => done(null, found.map(({ address }) => ({ address, family: isIP(address) })))),",
      },
    ],
    test: { file: ADDRESSES, names: "used as it was judged" },
  },
  {
    name: "only the first address judged",
    says: "a name with a good and a private address leads into a network",
    patches: [
      {
        file: CONNECT,
        from: "for (const address of addresses) judge(target, address);",
        to: "for (const address of addresses.slice(0, 1)) judge(target, address);",
      },
    ],
    test: { file: ADDRESSES, names: "is refused, and so is one among others" },
  },
  {
    name: "connections shared between tiers",
    says: "a project's hook is sent over a connection into a network that was opened for the person's own",
    patches: [
      {
        file: TRANSPORT,
        from: "poolOf(url.protocol, mayReachInternal)",
        to: "poolOf(url.protocol, true)",
      },
    ],
    test: { file: ADDRESSES, names: "never lent to a project" },
  },
  {
    name: "a written request sent again",
    says: "a server acts twice on one call",
    patches: [{ file: EXCHANGE, from: ' && error.syscall === "write"', to: "" }],
    test: { file: KEPT, names: "not sent again when the connection ends" },
  },
  {
    name: "a dead connection used again",
    says: "a guard fails because its server had closed an idle connection",
    patches: [{ file: EXCHANGE, from: "round < 2 &&", to: "round < 0 &&" }],
    test: { file: KEPT, names: "even in the same moment" },
  },
  {
    name: "a limit that ends at the headers",
    says: "a server that sends its answer very slowly blocks the agent forever",
    patches: [
      {
        file: TRANSPORT,
        from: "  const timer = clock.timer(limitMs, () =>\n",
        to: '  const timer = clock.timer(limitMs, () => seen.phase === "reading the answer" ||\n',
      },
    ],
    test: { file: "http/ending.test.ts", names: "hangs or drips within the body" },
  },
  {
    name: "certificates not looked at",
    says: "a variable of Node lets anyone answer in place of a hook's server",
    patches: [{ file: CONNECT, from: "        rejectUnauthorized: true,\n", to: "" }],
    test: { file: "http/tls.test.ts", names: "variables of Node" },
  },
];
