import { accountCaller, callerOf } from "#core/caller/caller";
import { defined } from "#core/defined";
import { receivePack } from "#core/git/protocol/receive-pack";
import { type ProtocolVersion, uploadPack } from "#core/git/protocol/upload-pack";
import type { OpenRepository } from "#core/git/store/store";
import { IncomingBody } from "../http/body/incoming-body.ts";
import type { GitApp } from "./git-app.ts";
import { pushedBytes, wholeLines } from "./request-body.ts";
import type { GitService, ResolvedRepository } from "./resolve-contract.ts";

const uploadRequestBytes = 16 * 2 ** 20;
const receiveRequestBytes = 16 * 2 ** 30;
const defaultIdleMs = 120_000;
const defaultTotalMs = 6 * 3_600_000;

/** A request for one of the two services whose caller may use it. */
export interface PackRequest {
  readonly service: GitService;
  readonly version: ProtocolVersion;
  readonly repository: OpenRepository;
  readonly resolved: ResolvedRepository;
  readonly request: Request;
  /** The address of the caller. */
  readonly address: string;
  readonly signal: AbortSignal;
  /** Called with the client's name for this session in its own logs. */
  onSession(id: string): void;
  /** Called with the reason when an answer that has begun can't be finished. */
  onBroken(error: unknown): void;
}

/** The answer to a request, as it is made; the request's memory is given back at its end. */
export async function* packService(app: GitApp, asked: PackRequest): AsyncGenerator<Uint8Array> {
  const { service, version, repository, resolved, request, address, signal } = asked;
  const { actorId } = resolved;
  const caller = actorId === undefined ? callerOf(undefined, address) : accountCaller(actorId);
  const limitBytes = service === "upload" ? uploadRequestBytes : receiveRequestBytes;
  const body = new IncomingBody(request, { limitBytes, ...paceOf(app) });
  const holding = app.intake.open(caller, { signal: () => signal });
  const shared = { signal, ...defined({ keepAliveMs: app.keepAliveMs }) };
  try {
    if (service === "upload") {
      const { onBroken: onFailure, onSession } = asked;
      const lines = wholeLines(body, holding);
      yield* uploadPack(repository, version, lines, { ...shared, onFailure, onSession });
    } else {
      const { bytes, keep } = pushedBytes(body, holding);
      yield* receivePack(app.forge, repository, bytes, { ...shared, ...pushRules(app, resolved), keep });
    }
  } finally {
    await holding.release();
  }
}

const paceOf = ({ forge: { config }, idleMs = defaultIdleMs, totalMs = defaultTotalMs }: GitApp) => ({
  leastBytes: Math.ceil((config.minBodyRate * idleMs) / 1000),
  windowMs: idleMs,
  totalMs,
});

function pushRules({ forge: { config }, temporaryFolder, slots }: GitApp, resolved: ResolvedRepository) {
  const { actorId, judge, chooseHead, extraWrites, afterPush } = resolved;
  return {
    pusherId: actorId ?? 0,
    slots,
    mostChanges: config.gitMaxPushRefs,
    limits: {
      packBytes: config.gitMaxPackBytes,
      objectBytes: config.gitMaxObjectBytes,
      deltaDepth: config.gitMaxDeltaDepth,
      workMs: config.gitCheckTimeoutSeconds * 1000,
    },
    ...defined({ judge, chooseHead, extraWrites, afterPush, temporaryFolder }),
  };
}
