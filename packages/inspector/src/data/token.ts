const KEPT = "hookline-inspect-token";

/**
 * The token of the address that `hookline inspect` printed. It is taken out of the address at once, and kept for this
 * tab alone so that loading the page again works.
 */
export function takeToken(): string | undefined {
  const [, found] = /^#t=([^&]+)/.exec(location.hash) ?? [];
  if (found === undefined) return sessionStorage.getItem(KEPT) ?? undefined;
  history.replaceState(null, "", `#${location.hash.slice(`#t=${found}`.length).replace(/^&/, "")}`);
  sessionStorage.setItem(KEPT, found);
  return found;
}
