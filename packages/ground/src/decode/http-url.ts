/** A hook's URL, or the reason why no request may be sent to it. */
export type HookUrl =
  | {
      readonly url: URL;
      /** Whether the URL names this machine: `localhost`, `*.localhost`, `127.0.0.0/8` or `::1`. */
      readonly isLocal: boolean;
    }
  | { readonly problem: string };

/**
 * Reads the URL of an HTTP hook (guarantees R56). It must be `https`, or `http` to this machine, without a user or
 * password. Whether a URL is local depends only on its host name, which the user approved. The name is not looked up.
 */
export function hookUrl(text: string): HookUrl {
  if (!URL.canParse(text)) return { problem: "its URL cannot be read; write it in full, as https://HOST/PATH" };
  const url = new URL(text);
  const isLocal = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname.replace(/\.$/, ""));
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { problem: `its URL begins with ${url.protocol}//; use https or, on this machine, http` };
  if (url.username !== "" || url.password !== "")
    return { problem: "its URL contains a user or password; send them in a header, from a variable" };
  if (url.protocol === "http:" && !isLocal)
    return { problem: `${url.host} would be asked without encryption; use https, or http to localhost` };
  return { url, isLocal };
}

/**
 * Whether a list such as `allowedHttpHookUrls` allows a URL. Without a list every URL is allowed; an empty list allows
 * none. A pattern is a URL in which `*` stands for any text: `https://hooks.example.com/*`, `http://localhost:*`.
 * Before the path, `*` stays within host and port, so that `https://*.example.com/*` does not match
 * `https://evil.test/.example.com/`. A pattern without a path allows every path if it ends with `*`, else only `/`.
 */
export function allowedUrl(patterns: readonly string[] | undefined, text: string): boolean {
  if (patterns === undefined) return true;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return patterns.some((pattern) => {
    if (/^\*+$/.test(pattern)) return true;
    const parts = /^([^/:]*):\/\/([^/?#\\]*)([^#]*)$/.exec(pattern);
    if (parts === null) return false;
    const [, scheme = "", host = "", path = ""] = parts;
    const isHost = [url.host, `${url.hostname}:${port}`].some((one) => matches(host.toLowerCase(), one));
    if (!isHost || !matches(scheme.toLowerCase(), url.protocol.slice(0, -1))) return false;
    const whole = url.pathname + url.search;
    return path === "" ? host.endsWith("*") || whole === "/" : matches(path, whole);
  });
}

/** Whether a text matches the pattern, in which `*` stands for any text. Never backtracks (R19). */
function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
