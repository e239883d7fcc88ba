import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Config } from "#core/config";
import type { Forge } from "#core/forge";
import type { LandedPush, PushHint } from "#core/pull/by-push/push-hints";
import { linkTo } from "../http/answer/links.ts";

/** Lines for the pusher, with the addresses of their pull requests, and of those that they may open. */
export async function hintLines(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  pushed: LandedPush,
): Promise<string[]> {
  const { findPushHints } = await import("#core/pull/by-push/push-hints"); // pushes alone need it
  const hints = await findPushHints(forge, actor, access, pushed);
  return hints.length === 0 ? [] : ["", ...hints.flatMap((hint) => [...linesOf(forge.config, hint), ""])];
}

function linesOf(config: Config, hint: PushHint): string[] {
  const [branch, into] = [shown(hint.branch), shown(hint.into)];
  const { owner, repository } = hint.base;
  const page = (...segments: (string | number)[]) => linkTo(config, owner.name, repository.name, ...segments);
  if ("number" in hint)
    return [`The pull request from '${branch}' into '${into}':`, `  ${page("pulls", hint.number)}`];
  const range = `${hint.into}...${hint.head}`.split("/");
  return [`To open a pull request from '${branch}':`, `  ${page("compare", ...range)}`];
}

/** Terminals obey some characters. */
const shown = (name: string): string => name.replace(/\p{C}/gu, "?");
