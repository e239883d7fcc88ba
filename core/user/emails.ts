import { attempts } from "../concurrency/attempts.ts";
import { conflict, type ForgeError, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { isMailOn } from "../mail/mail.ts";
import { countConfirmation, startConfirmation } from "../mail/start-confirmation.ts";
import type { OwnerChange } from "../owner/change.ts";
import { ownerIndex } from "../owner/owner.index.ts";
import { emailGuardKey, ownerKey, userPartition } from "../owner/owner.table.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { absent, all, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey, update, type Write } from "../table/write.ts";
import { emailProblem, isDomainAllowed } from "./fields.ts";
import { findUsersById } from "./find.ts";
import {
  addressItems,
  type EmailAddress,
  type EmailGuard,
  type EmailListing,
  emailAddressKey,
  emailListingKey,
  emailListPartition,
  emailPrefix,
  type User,
} from "./user.table.ts";

/** They go in one transaction with their owner. */
const mostAddresses = 20;
const mostAttempts = 20;

/** 422: somebody has this address. */
export const emailTaken = (email: string): ForgeError =>
  unprocessable(`e-mail already in use [email: ${email}]`);

/** A user's addresses, the primary one first. */
export async function listEmails(forge: Forge, userId: number): Promise<EmailAddress[]> {
  const rows = await forge.table.queryAll<EmailAddress>({ pk: userPartition(userId), prefix: emailPrefix });
  return [...rows.filter(({ isPrimary }) => isPrimary), ...rows.filter(({ isPrimary }) => !isPrimary)];
}

/**
 * Adds addresses to those of a user, all or none. With mail on they are not verified, and a mail asks
 * for a confirmation of each: until then it is nobody's, and others may add it as well. 422 when one can't be an
 * address, is somebody's already (in any case, the user's own too), is of a domain that the instance refuses, or when
 * they would be too many; RateLimited when too many mails would be asked for in an hour.
 */
export async function addEmails(forge: Forge, user: User, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) throw unprocessable("[Emails]: name at least one address");
  for (const email of emails) {
    const problem = emailProblem(forge, email, user);
    if (problem !== undefined) throw problem;
    if (!isDomainAllowed(forge, email))
      throw unprocessable(`addresses of this domain are not taken here [email: ${email}]`);
  }
  const items = [...unique(emails).values()].map((email) => addressItems(user.id, email, false));
  if (isMailOn(forge.config)) return addUnverified(forge, user, items);
  await changeAddresses(forge, user, (owned) => {
    requireRoom(owned.length + items.length);
    return {
      writes: items.flatMap(({ guard, address, listing }) => [
        put(guard, absent),
        put(address),
        put(listing),
      ]),
      refusals: items.flatMap(({ address }) => [emailTaken(address.email), undefined, undefined]),
    };
  });
}

type AddressItems = ReturnType<typeof addressItems>;

/** Adds addresses that count for nothing until they are confirmed, each with the job that mails its link. */
async function addUnverified(forge: Forge, user: User, items: readonly AddressItems[]): Promise<void> {
  for (const _ of items) await countConfirmation(forge, user.id);
  const added = items.map(({ guard, address }) => {
    const unverified: EmailAddress = { ...address, isVerified: false };
    return { guard, address: unverified, job: startConfirmation(forge, user.id, address.email) };
  });
  await changeAddresses(forge, user, (owned) => {
    requireRoom(owned.length + items.length);
    return {
      writes: added.flatMap(({ guard, address, job }) => [
        check(keyOfItem(guard), absent),
        put(address, absent),
        job.write,
      ]),
      refusals: added.flatMap(({ address }) => [
        emailTaken(address.email),
        emailTaken(address.email),
        undefined,
      ]),
    };
  });
  await send(
    forge,
    added.map(({ job }) => job.message),
  );
}

const keyOfItem = ({ pk, sk }: TableKey): TableKey => ({ pk, sk });

/**
 * Makes an address the user's own, who has opened its link. May be repeated. NotFound when the account has no such
 * address any more; 422 when somebody else has confirmed it meanwhile.
 */
export async function verifyEmail(forge: Forge, user: User, email: string): Promise<void> {
  await changeAddresses(forge, user, (owned) => {
    const row = owned.find((one) => one.email.toLowerCase() === email.toLowerCase());
    if (row === undefined) throw notFound("the account does not have this address any more");
    if (row.isVerified) return { writes: [] };
    const { guard, listing } = addressItems(user.id, row.email, false);
    return {
      writes: [put(guard, absent), put({ ...row, isVerified: true }), put(listing)],
      refusals: [emailTaken(row.email)],
    };
  });
}

const unique = (emails: readonly string[]) => new Map(emails.map((email) => [email.toLowerCase(), email]));

function requireRoom(count: number): void {
  if (count > mostAddresses) throw unprocessable(`an account may have at most ${mostAddresses} addresses`);
}

/**
 * Takes addresses away from a user, all or none. `unknown` makes the refusal for one that is not theirs; 422 for the
 * primary one, which can only be replaced.
 */
export async function removeEmails(
  forge: Forge,
  user: User,
  emails: readonly string[],
  unknown: (message: string) => ForgeError = notFound,
): Promise<void> {
  const leaving = [...unique(emails).values()];
  if (leaving.length === 0) return;
  await changeAddresses(forge, user, (owned) => {
    const rows = new Map(owned.map((row) => [row.email.toLowerCase(), row]));
    for (const email of leaving) {
      const row = rows.get(email.toLowerCase());
      if (row === undefined) throw unknown(`the account has no such e-mail address [email: ${email}]`);
      if (row.isPrimary) {
        throw unprocessable(
          `the primary e-mail address stays: make another one primary first [email: ${email}]`,
        );
      }
    }
    const keys = leaving.flatMap((email) =>
      addressKeys(user.id, rows.get(email.toLowerCase()) as EmailAddress),
    );
    return { writes: keys.map((key) => remove(key)) };
  });
}

/** The keys of an address's items: one that is not verified guards nothing, and stands in no list. */
export const addressKeys = (
  userId: number,
  { email, isVerified }: Pick<EmailAddress, "email" | "isVerified">,
): TableKey[] => [
  emailAddressKey(userId, email),
  ...(isVerified ? [emailGuardKey(email), emailListingKey(email)] : []),
];

interface AddressChange {
  readonly writes: readonly Write[];
  readonly refusals?: readonly (ForgeError | undefined)[];
}

/** Changes of one user's addresses follow each other: no other has changed the items that one was planned from. */
async function changeAddresses(
  forge: Forge,
  { id, name }: User,
  plan: (owned: readonly EmailAddress[]) => AddressChange,
): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const user = await forge.table.get<User>(ownerKey(id));
    if (user === undefined) throw notFound(`user does not exist [name: ${name}]`);
    const { writes, refusals = [] } = plan(await listEmails(forge, id));
    const { emailEdition } = user;
    const outcome = await forge.table.transact([
      update(
        ownerKey(id),
        { set: { emailEdition: (emailEdition ?? 0) + 1 } },
        all(exists, equals({ emailEdition })),
      ),
      ...writes,
    ]);
    if (outcome.committed) return;
    const refusal = refusals.find((_error, place) => outcome.failed.includes(place + 1));
    if (!outcome.failed.includes(0) && refusal !== undefined) throw refusal;
  }
  throw conflict("the addresses of the account are being changed by others; try again");
}

/** The changes when an address becomes a user's primary one, whether they had it or not. Throws as `addEmails` does. */
export async function becomingPrimary(forge: Forge, user: User, email: string): Promise<OwnerChange<User>> {
  if (email === user.email) return { set: {} };
  const [guard, owned] = await Promise.all([
    forge.table.get<EmailGuard>(emailGuardKey(email)),
    listEmails(forge, user.id),
  ]);
  if (guard !== undefined && guard.userId !== user.id) throw emailTaken(email);
  const next = addressItems(user.id, email, true);
  const isOther = email.toLowerCase() !== user.email.toLowerCase();
  const former = isOther ? [put(addressItems(user.id, user.email, false).address)] : [];
  if (guard === undefined) requireRoom(owned.length + 1);
  return {
    set: { email, emailEdition: (user.emailEdition ?? 0) + 1 },
    when: { emailEdition: user.emailEdition } as Partial<User>,
    writes: [
      put(next.guard, guard === undefined ? absent : equals({ userId: user.id })),
      put(next.address),
      put(next.listing),
      ...former,
    ],
    refusals: [emailTaken(email)],
  };
}

/** An address and its user. */
export interface ListedEmail {
  readonly address: EmailAddress;
  readonly user: User;
}

/**
 * Addresses of the instance in their order, for administrators: those that contain the keyword, or whose owner has it
 * in login or full name. An address beside the page costs 80 bytes of reading.
 */
export async function listAllEmails(
  forge: Forge,
  keyword: string,
  page: PageRequest,
): Promise<{ items: ListedEmail[]; total: number }> {
  const [rows, named] = await Promise.all([
    forge.table.queryAll<EmailListing>({ pk: emailListPartition }),
    keyword === "" ? new Set<number>() : idsNamed(forge, keyword),
  ]);
  const word = keyword.toLowerCase();
  const found = rows.filter(({ sk, userId }) => sk.includes(word) || named.has(userId));
  const shown = rowsOfPage(found, page);
  const [addresses, users] = await Promise.all([
    forge.table.getAll<EmailAddress>(shown.map(({ userId, sk }) => emailAddressKey(userId, sk))),
    findUsersById(
      forge,
      shown.map(({ userId }) => userId),
    ),
  ]);
  const items = shown.flatMap(({ userId, sk }) => {
    const address = addresses.get(keyText(emailAddressKey(userId, sk)));
    const user = users.get(userId);
    return address === undefined || user === undefined ? [] : [{ address, user }];
  });
  return { items, total: found.length };
}

async function idsNamed(forge: Forge, keyword: string): Promise<ReadonlySet<number>> {
  const { ids } = await listFromIndex(forge, ownerIndex, {
    filter: { isOrganization: false, keyword },
    sort: { by: "id" },
    page: 1,
    limit: Number.MAX_SAFE_INTEGER,
  });
  return new Set(ids);
}
