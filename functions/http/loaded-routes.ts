import { TrieRouter } from "hono/router/trie-router";
import { manySteps, Pacer } from "#core/concurrency/pacer";
import { lazy } from "#core/lazy";
import type { Endpoint } from "./endpoint.ts";
import { createRoutes, type Match, type Routes, routingPath, withoutTrailingSlashes } from "./routes.ts";

/** Operations that are loaded together, with the first request for one of their paths. */
export interface EndpointGroup {
  /** As documented; one that ends in a star stands for all below it, too. */
  readonly paths: readonly string[];
  readonly load: () => Promise<readonly Endpoint[]>;
}

/** The operations of all groups, in their order. Others run between the groups: all of them at once take 100 ms. */
export async function loadAll(groups: readonly EndpointGroup[]): Promise<readonly Endpoint[]> {
  const loaded: Endpoint[] = [];
  const pacer = new Pacer();
  for (const { load } of groups) {
    loaded.push(...(await load()));
    if (pacer.isDue(manySteps)) await pacer.pause();
  }
  return loaded;
}

/** Finds the operation of a path like `Routes`, and loads it when it is the first of its group. */
export interface LoadedRoutes {
  match(method: string, path: string): Promise<Match>;
}

/** Matches below a prefix; everything else is unknown. */
export async function matchUnder(
  base: string,
  routes: Routes | LoadedRoutes,
  method: string,
  path: string,
): Promise<Match> {
  const isUnder = path.toLowerCase().startsWith(`${base}/`);
  return isUnder ? routes.match(method, path.slice(base.length)) : { kind: "unknown" };
}

/** The routing table of groups. A path may lie in several: their operations compete for it as those of one table. */
export function createLoadedRoutes(groups: readonly EndpointGroup[]): LoadedRoutes {
  const router = new TrieRouter<number>();
  for (const [at, { paths }] of groups.entries()) {
    for (const path of paths) router.add("ALL", routingPath({ path }), at);
  }
  const tables = new Map<string, () => Promise<Routes>>();
  const tableOf = (places: readonly number[]) => {
    const load = async () => {
      const loaded = await Promise.all(places.map((at) => groups[at]?.load() ?? []));
      return createRoutes(loaded.flat());
    };
    const key = places.join();
    const table = tables.get(key) ?? lazy(load);
    tables.set(key, table);
    return table();
  };
  return {
    async match(method, rawPath) {
      const [found] = router.match("ALL", withoutTrailingSlashes(rawPath));
      const places = [...new Set(found.map(([at]) => at as number))];
      return places.length === 0 ? { kind: "unknown" } : (await tableOf(places)).match(method, rawPath);
    },
  };
}
