import type { Reading } from "@hookline/runtime/command";
import { knownOf } from "@hookline/runtime/command";
import { SENDERS } from "./reveals.ts";
import { secretVariables } from "./variables.ts";

/** A secret that a call sends, and its destination. */
export interface Sent {
  /** The name of the variable that holds the secret. */
  readonly secret: string;
  readonly host: string;
}

const URL_HOST = /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/@"']{0,256}@)?(\[[0-9a-f:]+\]|[\w.-]{1,253})/gi;
const REMOTE = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):/;
/** Matches a host name that begins with a variable: looking the host up sends the value to that domain's servers. */
const ASKED = /^\$\{?\w+\}?\.([\w-]+(?:\.[\w-]+)+)$/;
const LOCAL =
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)$|\.(?:localhost|local|internal|test)$/;
/** Hosts that store whatever anybody sends them. */
const DROPS =
  /webhook\.site|requestbin|pipedream\.net|ngrok|pastebin|paste\.|transfer\.sh|file\.io|0x0\.st|termbin|hastebin|ix\.io|interact\.sh|oast\.|burpcollaborator|beeceptor|requestcatcher|hookbin|dnslog|ptsv\d|^\d+\.\d+\.\d+\.\d+$|evil|attack|exfil|collect(?:or)?\./;
/** Services whose hosts do not contain their name. */
const HOSTS: Readonly<Record<string, RegExp>> = {
  aws: /amazonaws|aws\.amazon/,
  google: /google|gstatic|firebase/,
  gcp: /google/,
  gh: /github/,
  npm: /npmjs|npm\.pkg|registry/,
  hf: /huggingface|hf\.co/,
  azure: /azure|microsoft|windows\.net/,
  pypi: /pypi/,
  twine: /pypi/,
};
const SERVICES = new Set(
  "github gitlab gh stripe openai anthropic slack twilio sendgrid npm pypi twine aws google gcp azure hf huggingface discord telegram cloudflare datadog sentry heroku digitalocean vercel netlify linear notion airtable shopify mailgun docker mistral groq".split(
    " ",
  ),
);

/** Returns the hosts that a text names. */
export function hostsIn(text: string): string[] {
  return [...new Set([...text.matchAll(URL_HOST)].map(([, host = ""]) => host.toLowerCase()))];
}

/** Returns the hosts in a word of a command or a git setting: from URLs, and from places such as `git@host:path`. */
export function hostsOfWord(word: string): string[] {
  const remote = REMOTE.exec(word)?.[1];
  return remote === undefined ? hostsIn(word) : [...hostsIn(word), remote];
}

/** Whether a secret may be sent to a host: the project's hosts, this machine, or the service in the secret's name. */
export function mayHave(host: string, name: string, hosts: readonly string[]): boolean {
  if (LOCAL.test(host) || hosts.some((own) => host === own || host.endsWith(`.${own}`))) return true;
  const [service = ""] = name.toLowerCase().split(/[^a-z0-9]/);
  return HOSTS[service]?.test(host) === true || (service.length > 2 && host.replaceAll("-", "").includes(service));
}

/** Finds a secret variable that a shell text sends to an unrelated host. */
export function variableSentBy({ commands }: Reading, hosts: readonly string[]): Sent | undefined {
  for (const { words, output } of commands) {
    const name =
      knownOf(words[0] ?? { pieces: [] })
        ?.split("/")
        .at(-1) ?? "";
    const takers = [{ words }, ...(output?.kind === "pipe" ? output.to : [])];
    const sender = SENDERS.has(name)
      ? { words }
      : takers.find((one) => SENDERS.has(knownOf(one.words[0] ?? { pieces: [] }) ?? ""));
    if (sender === undefined) continue;
    const to = sender.words.flatMap(({ text }) => {
      const plain = text.replace(/["']/g, "");
      const asked = ASKED.exec(plain)?.[1];
      return asked === undefined ? hostsOfWord(plain) : [...hostsOfWord(plain), asked];
    });
    for (const variable of words.flatMap(secretVariables))
      for (const host of to) {
        if (mayHave(host, variable, hosts)) continue;
        const [service = ""] = variable.toLowerCase().split("_");
        if (DROPS.test(host) || SERVICES.has(service)) return { secret: variable, host };
      }
  }
  return undefined;
}
