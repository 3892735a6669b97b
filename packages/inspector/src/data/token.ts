const KEPT = "hookline-inspect-token";

/**
 * Returns the token in the address that `hookline inspect` printed. It is removed from the address at once, and stored
 * for this tab only, so that the page can be reloaded.
 */
export function takeToken(): string | undefined {
  const [, found] = /^#t=([^&]+)/.exec(location.hash) ?? [];
  if (found === undefined) return sessionStorage.getItem(KEPT) ?? undefined;
  history.replaceState(null, "", `#${location.hash.slice(`#t=${found}`.length).replace(/^&/, "")}`);
  sessionStorage.setItem(KEPT, found);
  return found;
}
