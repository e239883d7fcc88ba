import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { type ForgeError, invalid, isForgeError, unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { askDirectory, type DirectoryAnswer } from "./directory.ts";
import { directorySettings, settingsProblem } from "./internal/directory-settings.ts";

/** Accounts with a password of their own here. */
export const localSourceId = 0;
/** Accounts of the directory in the settings. */
export const directorySourceId = 1;
/** Accounts that a first login through a provider of OpenID Connect has made: they have no password here. */
export const openIdSourceId = 2;

/** Whether accounts may be bound to a source. */
const isKnownSource = (config: Config, id: number): boolean =>
  id === localSourceId ||
  (id === directorySourceId && config.ldapUrl !== "") ||
  (id === openIdSourceId && config.openIdSources.length > 0);

/** 422 for accounts that would be bound to a missing source. */
export const sourceProblem = (config: Config, id: number): ForgeError | undefined =>
  isKnownSource(config, id) ? undefined : invalid("SourceID", `there is no login source ${id}`);

/** A forge's memory of its directory: recent logins, under keyed hashes, and logins in progress. */
interface Memory {
  readonly answers: LRUCache<string, { readonly at: number; readonly answer: DirectoryAnswer }>;
  readonly pending: Map<string, Promise<DirectoryAnswer>>;
}
const memoryOf = lazyFor(
  (_config: Config): Memory => ({ answers: new LRUCache({ max: 10_000 }), pending: new Map() }),
);
/** The most connections at once: others wait, because a directory may be small. */
const mostAtOnce = 8;
const waiting: (() => void)[] = [];
let running = 0;

const keyOf = (forge: Forge, login: string, password: string): string =>
  forge.secrets.digest("directory", `${login.toLowerCase()}\0${password}`).toString("base64");

/**
 * The answer for this login and password if they succeeded within the last seconds (`LDAP_CACHE_SECONDS`); otherwise
 * undefined.
 */
export function rememberedAnswer(forge: Forge, login: string, password: string): DirectoryAnswer | undefined {
  const found = memoryOf(forge.config).answers.get(keyOf(forge, login, password));
  const isFresh = found !== undefined && forge.clock.now() - found.at < forge.config.ldapCacheSeconds * 1_000;
  return isFresh ? found.answer : undefined;
}

/** The answer in progress for the same login and password: it is not asked for twice, nor counted as one more try. */
export const pendingAnswer = (forge: Forge, login: string, password: string) =>
  memoryOf(forge.config).pending.get(keyOf(forge, login, password));

/**
 * Asks the directory, once for all who ask the same at the same time: git sends many requests. Only successes are
 * remembered. `refused` when no directory is set; Unavailable when it does not answer or its settings make no sense.
 */
export function askLoginSource(forge: Forge, login: string, password: string): Promise<DirectoryAnswer> {
  const known = pendingAnswer(forge, login, password);
  if (known !== undefined) return known;
  const { answers, pending } = memoryOf(forge.config);
  const key = keyOf(forge, login, password);
  const asked = oneOfFew(() => askOnce(forge, login, password))
    .then((answer) => {
      if (answer.kind === "in") answers.set(key, { at: forge.clock.now(), answer });
      return answer;
    })
    .finally(() => pending.delete(key));
  pending.set(key, asked);
  return asked;
}

async function askOnce(forge: Forge, login: string, password: string): Promise<DirectoryAnswer> {
  const settings = directorySettings(forge.config);
  if (settings === undefined) return { kind: "refused" };
  const problem = settingsProblem(settings);
  if (problem !== undefined) {
    forge.log.error("directory:bad-settings", { problem });
    throw unavailable("logins can't be checked against the directory: ask the operator");
  }
  try {
    return await askDirectory(settings, login, password);
  } catch (error) {
    const reason = isForgeError(error) ? (error.cause ?? error.message) : error;
    forge.log.warn("directory:not-asked", { error: reason });
    throw error;
  }
}

async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
