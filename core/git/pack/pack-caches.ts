/** Bounds of the process-wide caches, in bytes. */
export interface PackCacheBounds {
  sideBytes: number;
  blockBytes: number;
  baseBytes: number;
}

/** Side files, 1 MiB blocks of packs, and inflated delta bases; keyed by immutable names, so never invalidated. */
export interface PackCaches {
  readonly bounds: PackCacheBounds;
}
