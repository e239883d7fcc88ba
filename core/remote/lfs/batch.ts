import { z } from "zod";
import { RemoteError } from "../../git/client/remote-failure.ts";
import { agent } from "../../git/protocol/capabilities.ts";
import type { GuardedOutcome } from "../../guarded-client/guarded-client.ts";
import type { LfsPointer } from "../../lfs/pointer.ts";
import { authorizationAt, type LfsRemote, lfsMediaType } from "./lfs-remote.ts";

/** A request that the server asks for. */
export interface LfsAction {
  readonly href: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a server says of an object: where its bytes come from or go to, that it has them already, or why neither. */
export type LfsOffer = LfsPointer &
  (
    | { readonly kind: "transfer"; readonly action: LfsAction; readonly verify?: LfsAction }
    | { readonly kind: "there" }
    | { readonly kind: "refused"; readonly reason: string }
  );

/** How many objects one batch names, as with Git LFS itself. */
export const lfsBatchObjects = 100;

const batchMs = 60_000;
const mostAnswerBytes = 2 * 2 ** 20;
const mostRedirects = 3;

const actionShape = z.object({
  href: z.string().max(16_384),
  header: z.record(z.string(), z.string()).nullish().catch(undefined),
});
const answerShape = z.object({
  objects: z
    .array(
      z.object({
        oid: z.string(),
        actions: z
          .object({
            download: actionShape.nullish(),
            upload: actionShape.nullish(),
            verify: actionShape.nullish(),
          })
          .nullish(),
        error: z.object({ code: z.number().catch(0) }).nullish(),
      }),
    )
    .max(10 * lfsBatchObjects),
});
type AnsweredObject = z.infer<typeof answerShape>["objects"][number];

/**
 * Asks a server about objects, at most `lfsBatchObjects`; answers in their order. Nothing of what it says is believed
 * but addresses. Throws RemoteError: `not-found` when there is no LFS server.
 */
export async function askLfsRemote(
  remote: LfsRemote,
  operation: "download" | "upload",
  objects: readonly LfsPointer[],
): Promise<LfsOffer[]> {
  const url = `${remote.url}/objects/batch`;
  const named = objects.map(({ oid, sizeBytes: size }) => ({ oid, size }));
  const outcome = await remote.client.send({
    ...{ url, method: "POST", totalTimeoutMs: batchMs, maxBodyBytes: mostAnswerBytes },
    maxRedirects: mostRedirects,
    headers: { ...jsonHeaders, ...authorizationAt(remote, url) },
    body: JSON.stringify({ operation, transfers: ["basic"], hash_algo: "sha256", objects: named }),
  });
  const answered = new Map(answeredObjects(outcome).map((object) => [object.oid, object]));
  return objects.map((object) => offerOf(remote, operation, object, answered.get(object.oid)));
}

const jsonHeaders = {
  ...{ accept: lfsMediaType, "content-type": lfsMediaType },
  "user-agent": `git-lfs/3.0 (${agent})`,
};

function answeredObjects(outcome: GuardedOutcome): readonly AnsweredObject[] {
  const body = lfsAnswer(outcome);
  try {
    return answerShape.parse(JSON.parse(body.toString("utf8"))).objects;
  } catch {
    throw new RemoteError("protocol", "the LFS server answers what is no batch of Git LFS");
  }
}

/** The body of a successful answer; throws RemoteError for others. */
function lfsAnswer(outcome: GuardedOutcome): Buffer {
  if (outcome.kind === "refused") throw new RemoteError("refused", outcome.reason);
  if (outcome.kind === "no-answer") throw new RemoteError("unreachable", outcome.reason);
  if (outcome.status >= 300) throw lfsStatusFailure(outcome.status);
  if (outcome.cutBy === undefined) return outcome.body;
  if (outcome.cutBy === "size") {
    throw new RemoteError("too-large", `the LFS server's answer has more than ${mostAnswerBytes} bytes`);
  }
  throw new RemoteError("unreachable", "the LFS server's answer broke off");
}

const withoutLfs = new Set([404, 405, 410, 501]);

/** The failure behind a status. What the server writes beside it is not repeated: it knows the credentials. */
export function lfsStatusFailure(status: number): RemoteError {
  if (status === 401 || status === 403) {
    return new RemoteError(
      "unauthorized",
      `the LFS server asks for other credentials (it answered ${status})`,
    );
  }
  if (withoutLfs.has(status))
    return new RemoteError("not-found", `there is no LFS server (it answered ${status})`);
  const kind = status === 429 || status >= 500 ? "unreachable" : "protocol";
  return new RemoteError(kind, `the LFS server answered ${status}`);
}

function offerOf(
  remote: LfsRemote,
  operation: "download" | "upload",
  object: LfsPointer,
  answered: AnsweredObject | undefined,
): LfsOffer {
  const refused = (reason: string): LfsOffer => ({ ...object, kind: "refused", reason });
  if (answered === undefined) return refused("the LFS server says nothing of it");
  if (answered.error) return refused(`the LFS server answers ${answered.error.code} for it`);
  const action = answered.actions?.[operation];
  const verify = answered.actions?.verify;
  if (action) {
    return {
      ...{ ...object, kind: "transfer", action: actionOf(remote, action) },
      ...(verify && { verify: actionOf(remote, verify) }),
    };
  }
  return operation === "upload" ? { ...object, kind: "there" } : refused("the LFS server gives no address");
}

/** These are ours to say, whatever a server asks for. */
const ownHeaders =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|range|proxy-.*)$/;
const mostHeaders = 20;
const mostHeaderCharacters = 8_192;

/** The address and those of its headers that may be sent. Our credentials go along where the server's origin is. */
function actionOf(remote: LfsRemote, { href, header }: z.infer<typeof actionShape>): LfsAction {
  const asked = Object.entries(header ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => /^[a-z0-9-]{1,100}$/.test(name) && /^[\t\x20-\x7e]*$/.test(value))
    .filter(([name, value]) => !ownHeaders.test(name) && value.length <= mostHeaderCharacters)
    .slice(0, mostHeaders);
  return { href, headers: { ...authorizationAt(remote, href), ...Object.fromEntries(asked) } };
}
