import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { nowSeconds } from "../clock.ts";
import { unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { keyIdOf } from "../secrets.ts";
import { absent, equals } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { type FormerKey, type PublicKey, type SigningKeys, signingKeysKey } from "./signing-key.table.ts";

type CryptoKey = Exclude<Awaited<ReturnType<typeof importJWK>>, Uint8Array>;

/** The key that signs tokens, with its id and algorithm for their headers. */
export interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly key: CryptoKey;
}

/** Other processes may have replaced the key for so long before this one notices; what it signs until then counts. */
const knownSeconds = 60;
const secondsPerDay = 86_400;
const rsaBits = 2_048;
const mostAttempts = 5;

/** The keys as this process last read them, and the crypto keys that it made of them. */
interface Known {
  keys?: { readonly item: SigningKeys; readonly readAt: number };
  signer?: Signer;
  /** A key that is being made for all who need one: it takes a fifth of a second of a thread. */
  replacing?: Promise<SigningKeys | undefined> | undefined;
  readonly verifiers: Map<string, CryptoKey>;
}
const knownIn = lazyFor((_table: Forge["table"]): Known => ({ verifiers: new Map() }));

type Stores = Pick<Forge, "table" | "clock" | "secrets" | "config">;

/** The key that signs now: made at the first use, and anew when it is old, of another algorithm or sealed by an old key. */
export async function signingKey(forge: Stores): Promise<Signer> {
  const known = knownIn(forge.table);
  const keys = await currentKeys(forge);
  const { current, sealed } = keys;
  if (known.signer?.kid === current.kid) return known.signer;
  const jwk = JSON.parse(forge.secrets.open(sealed, sealContext(current.kid)));
  const signer = { kid: current.kid, alg: current.alg, key: await asCryptoKey(jwk, current.alg) };
  known.signer = signer;
  return signer;
}

/** The key that a token names, while what it signed counts; undefined for any other. */
export async function verifyingKey(
  forge: Stores,
  kid: string,
): Promise<{ readonly alg: string; readonly key: CryptoKey } | undefined> {
  const known = knownIn(forge.table);
  const find = (item: SigningKeys | undefined) => countingKeys(forge, item).find((one) => one.kid === kid);
  const found = find(freshItem(forge)) ?? find(await readKeys(forge));
  if (found === undefined) return undefined;
  const key = known.verifiers.get(kid) ?? (await asCryptoKey(found.jwk, found.alg));
  known.verifiers.set(kid, key);
  return { alg: found.alg, key };
}

/** The public halves, for everybody: that of the signing key first. The first call makes it. */
export async function listSigningKeys(forge: Stores): Promise<readonly PublicKey[]> {
  return countingKeys(forge, await currentKeys(forge));
}

/**
 * Replaces the signing key. Tokens that the former one signed count until they expire; with `forgets` nothing counts
 * that was signed before, within a minute everywhere.
 */
export async function rotateSigningKey(forge: Stores, { forgets = false } = {}): Promise<PublicKey> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const made = await replaceKeys(forge, await readKeys(forge), forgets);
    if (made !== undefined) return made.current;
  }
  throw unavailable("the signing key is being replaced by others all the time: try again");
}

async function currentKeys(forge: Stores): Promise<SigningKeys> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const item = freshItem(forge) ?? (await readKeys(forge));
    if (item !== undefined && !isOutdated(forge, item)) return item;
    const known = knownIn(forge.table);
    known.replacing ??= replaceKeys(forge, item, false).finally(() => {
      known.replacing = undefined;
    });
    const made = await known.replacing;
    if (made !== undefined) return made;
    forget(forge);
  }
  throw unavailable("the signing key is being replaced by others all the time: try again");
}

function isOutdated({ clock, config, secrets }: Stores, { current, sealed }: SigningKeys): boolean {
  const isOld = nowSeconds(clock) >= current.createdAt + config.signingKeyDays * secondsPerDay;
  return isOld || current.alg !== config.jwtSigningAlgorithm || keyIdOf(sealed) !== secrets.keyIds()[0];
}

/** Undefined when somebody else replaced them first. */
async function replaceKeys(
  forge: Stores,
  before: SigningKeys | undefined,
  forgets: boolean,
): Promise<SigningKeys | undefined> {
  const { secrets, clock, config, table } = forge;
  const alg = config.jwtSigningAlgorithm;
  const pair = await generateKeyPair(alg, { modulusLength: rsaBits, extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const item: SigningKeys = {
    ...signingKeysKey,
    current: { kid, alg, jwk: { ...jwk }, createdAt: nowSeconds(clock) },
    sealed: secrets.seal(JSON.stringify(await exportJWK(pair.privateKey)), sealContext(kid)),
    former: forgets || before === undefined ? [] : formerKeys(forge, before),
    v: (before?.v ?? 0) + 1,
    _v: 1,
  };
  const isUnchanged = before === undefined ? absent : equals({ v: before.v });
  const { committed } = await table.transact([put(item, isUnchanged)]);
  if (!committed) return undefined;
  remember(forge, item);
  return item;
}

/** The longest life of a token: what a process signs that has not noticed yet counts, too. */
function formerKeys(forge: Stores, before: SigningKeys): FormerKey[] {
  const { clock, config } = forge;
  const longest = Math.max(config.refreshTokenHours * 3_600, config.accessTokenSeconds) + knownSeconds;
  const last = { ...before.current, expiresAt: nowSeconds(clock) + longest };
  return [last, ...before.former.filter(({ expiresAt }) => expiresAt > nowSeconds(clock))];
}

const countingKeys = ({ clock }: Stores, item: SigningKeys | undefined): readonly PublicKey[] =>
  item === undefined
    ? []
    : [item.current, ...item.former.filter(({ expiresAt }) => expiresAt > nowSeconds(clock))];

async function readKeys(forge: Stores): Promise<SigningKeys | undefined> {
  const item = await forge.table.get<SigningKeys>(signingKeysKey);
  if (item !== undefined) remember(forge, item);
  return item;
}

const remember = ({ table, clock }: Stores, item: SigningKeys): void => {
  knownIn(table).keys = { item, readAt: nowSeconds(clock) };
};

const forget = ({ table }: Stores): void => {
  delete knownIn(table).keys;
};

function freshItem({ table, clock }: Stores): SigningKeys | undefined {
  const { keys } = knownIn(table);
  const isFresh = keys !== undefined && Math.abs(nowSeconds(clock) - keys.readAt) < knownSeconds;
  return isFresh ? keys.item : undefined;
}

const sealContext = (kid: string): string => `signing-key ${kid}`;

const asCryptoKey = async (jwk: object, alg: string): Promise<CryptoKey> =>
  (await importJWK({ ...jwk }, alg)) as CryptoKey;
