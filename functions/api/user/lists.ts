import type { Forge } from "#core/forge";
import { findUsersById } from "#core/user/find";
import { type Listing, type Page, pageOf } from "../../http/answer/paging.ts";
import type { View } from "../../http/answer/view.ts";
import { presentUser } from "./present.ts";
import type { UserJson } from "./schema.ts";

/** Users by their ids as one page of a list. */
export async function presentUsers(
  forge: Forge,
  view: View,
  ids: readonly number[],
  page: Page,
): Promise<Listing<UserJson>> {
  const { items, total } = pageOf(ids, page);
  const found = await findUsersById(forge, items);
  const shown = items.flatMap((id) => found.get(id) ?? []);
  return { items: shown.map((user) => presentUser(view, user)), total };
}
