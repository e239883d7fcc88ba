import { unprocessable } from "#core/errors";
import type { RepositorySort } from "#core/repository/repository.index";

/** The orders of `/user/repos` (D-ORDER). Sizes begin with the largest, stars and forks as they say. */
export const listOrders = {
  name: { by: "alpha" },
  id: { by: "id" },
  newest: { by: "created", isDescending: true },
  oldest: { by: "created" },
  recentupdate: { by: "updated", isDescending: true },
  leastupdate: { by: "updated" },
  reversealphabetically: { by: "alpha", isDescending: true },
  alphabetically: { by: "alpha" },
  reversesize: { by: "size" },
  size: { by: "size", isDescending: true },
  reversegitsize: { by: "git_size" },
  gitsize: { by: "git_size", isDescending: true },
  reverselfssize: { by: "lfs_size" },
  lfssize: { by: "lfs_size", isDescending: true },
  moststars: { by: "stars", isDescending: true },
  feweststars: { by: "stars" },
  mostforks: { by: "forks", isDescending: true },
  fewestforks: { by: "forks" },
} as const satisfies Record<string, RepositorySort>;

/** The names of the orders, for the document and for checking. */
export const listOrderNames = Object.keys(listOrders) as [keyof typeof listOrders];

const searchOrders: Readonly<Record<string, RepositorySort["by"]>> = {
  alpha: "alpha",
  created: "created",
  updated: "updated",
  size: "size",
  git_size: "git_size",
  lfs_size: "lfs_size",
  id: "id",
  stars: "stars",
  forks: "forks",
};

/** The order of a search: by name by default, ascending unless `desc` is asked. 422 for unknown words. */
export function searchSort(sort = "", order = ""): RepositorySort {
  if (sort === "") return { by: "alpha" };
  const by = Object.hasOwn(searchOrders, sort) ? searchOrders[sort] : undefined;
  if (by === undefined) throw unprocessable(`Invalid sort mode: "${sort}"`);
  if (!["", "asc", "desc"].includes(order)) throw unprocessable(`Invalid sort order: "${order}"`);
  return { by, isDescending: order === "desc" };
}
