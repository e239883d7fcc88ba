import { randomUUID } from "node:crypto";
import type { Context, Hono } from "hono";
import type { Forge } from "#core/forge";
import { findAvatar } from "#core/owner/avatar";
import { problem, problemOf } from "../../http/answer/problems.ts";
import { admit } from "../../http/caller/admission.ts";
import { authenticate, credentialsOf } from "../../http/caller/authentication.ts";
import { countedByNetwork } from "../../http/caller/counted-network.ts";
import { clientAddressOf } from "../../http/client-address.ts";

/**
 * Serves pictures by their hash: to everybody, because pages show them without credentials, unless the instance answers
 * only signed-in callers.
 */
export function addAvatars(app: Hono, forge: Forge, finish: (headers: Headers) => void): void {
  app.get("/avatars/:hash", countedByNetwork(forge, "light"), async (context) => {
    const { rootUrl } = forge.config;
    const response = await answer(forge, context, context.req.param("hash")).catch((error: unknown) =>
      problemOf(error, { rootUrl, requestId: randomUUID(), log: forge.log, form: undefined }),
    );
    finish(response.headers);
    return response;
  });
}

async function answer(forge: Forge, context: Context, hash: string): Promise<Response> {
  const { requireSigninView, rootUrl } = forge.config;
  if (requireSigninView) await requireCaller(forge, context);
  const avatar = await findAvatar(forge, hash);
  if (avatar === undefined) return problem(404, "there is no such picture", rootUrl);
  return new Response(new Uint8Array(avatar.bytes), {
    headers: {
      "content-type": avatar.contentType,
      "cache-control": `${requireSigninView ? "private" : "public"}, max-age=31536000, immutable`,
    },
  });
}

async function requireCaller(forge: Forge, { req, env }: Context): Promise<void> {
  const address = clientAddressOf(env, req.raw.headers, forge.config);
  const credentials = credentialsOf(req.raw, new URL(req.url), forge, address);
  const { actor } = await authenticate(forge, credentials);
  await admit(forge, { actor, sudo: undefined, isPasswordChange: false, isByAddress: false });
}
