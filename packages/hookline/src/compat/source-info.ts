interface About {
  readonly source: string;
  readonly scope?: string;
  readonly origin?: string;
  readonly baseDir?: string;
}

/** Where a resource that was made in memory says that it comes from. */
export function createSyntheticSourceInfo(path: string, about: About): About & { readonly path: string } {
  const { source, scope = "temporary", origin = "top-level", baseDir } = about;
  return { path, source, scope, origin, ...(baseDir !== undefined && { baseDir }) };
}
