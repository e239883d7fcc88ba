import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import type { Commit } from "#core/git/format/commit";
import { findUsersByEmail } from "#core/user/email";
import type { User } from "#core/user/user.table";

/** The accounts behind the addresses in some commits, as far as the caller may know of them, in two requests. */
export const peopleOf = (
  { forge, actor }: { readonly forge: Forge; readonly actor: Actor | undefined },
  commits: readonly { readonly commit: Commit }[],
): Promise<Map<string, User>> =>
  findUsersByEmail(
    forge,
    actor,
    commits.flatMap(({ commit }) => [commit.author.email, commit.committer.email]),
  );
