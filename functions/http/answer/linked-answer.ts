import { z } from "zod";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { openSealedValue, sealValue } from "#core/sealed-value";
import type { Call } from "../call.ts";
import { callerShape, findNamedCaller, namedCaller } from "../caller/named-caller.ts";
import { linkTo } from "./links.ts";

/** Where answers too large for the API's gateway are streamed; no owner may have this name. */
export const answersPath = "/-/answers/";

/** Enough for a client to follow a redirect, and to continue a broken download. */
const lifeMs = 5 * 60_000;
const kind = {
  purpose: "linked-answer",
  shape: z.object({ path: z.string(), until: z.number(), ...callerShape }),
};

/** An answer as its link names it: path and query, and its caller; nobody stands for an anonymous one. */
export interface LinkedAnswer {
  readonly path: string;
  readonly actor: Actor | undefined;
}

/**
 * A link that stands for one read by one caller for five minutes. It is sealed: nobody can read or change it. It gives
 * no rights: the caller's rights are checked again.
 */
export function linkToAnswer(forge: Forge, { path, actor }: LinkedAnswer): string {
  const link = { path, until: forge.clock.now() + lifeMs, ...namedCaller(actor) };
  return linkTo(forge.config, "-", "answers", sealValue(forge, kind, link));
}

/** The meaning of a link; undefined when it has expired, was made up, or its caller would not be let in any more. */
export async function openLink(forge: Forge, text: string): Promise<LinkedAnswer | undefined> {
  const link = openSealedValue(forge, kind, text);
  if (link === undefined) return undefined;
  const { path } = link;
  if (link.userId === undefined) return { path, actor: undefined };
  const actor = await findNamedCaller(forge, link);
  return actor === undefined ? undefined : { path, actor };
}

/** A redirect to the streamed answer where one to a read is larger than `mostBytes` (D-BIGBODY). */
export async function elsewhereIfLarge(
  { forge, request, url }: Call,
  response: Response,
  actor: Actor | undefined,
  mostBytes: number,
): Promise<Response> {
  const isRead = request.method === "GET" && response.ok;
  if (!isRead || Number(response.headers.get("content-length")) <= mostBytes) return response;
  await response.body?.cancel();
  const location = linkToAnswer(forge, { path: `${url.pathname}${url.search}`, actor });
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}
