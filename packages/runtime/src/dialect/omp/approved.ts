/** The hook files that a session has loaded itself, so that a person has approved them where they are a project's. */
export function approvedHooks(shared: Map<string, unknown>): Set<string> {
  const key = "omp.approved";
  const known = shared.get(key) as Set<string> | undefined;
  if (known !== undefined) return known;
  const approved = new Set<string>();
  shared.set(key, approved);
  return approved;
}
