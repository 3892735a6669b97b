interface About {
  readonly source: string;
  readonly scope?: string;
  readonly origin?: string;
  readonly baseDir?: string;
}

/** Returns the source info of a resource, such as a skill, that an extension makes in memory. */
export function createSyntheticSourceInfo(path: string, about: About): About & { readonly path: string } {
  const { source, scope = "temporary", origin = "top-level", baseDir } = about;
  return { path, source, scope, origin, ...(baseDir !== undefined && { baseDir }) };
}
