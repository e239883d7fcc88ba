import type { MailChoice } from "#core/config/mail";
import { tell } from "#tests/api/notification/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import type { TestForgeOptions } from "#tests/support/forge";
import { workOnMirrors } from "#tests/support/mirror-work";
import {
  type MailServer,
  partsOf,
  type ReceivedMail,
  startMailServer,
} from "#tests/support/servers/mail-server";

/** A forge that sends its mail to a server of the test, with a repository of `alice`. */
export interface MailWorld {
  readonly api: TestApi;
  readonly server: MailServer;
  readonly alice: Caller;
  readonly repository: TestRepository;
  /** Makes a user who has chosen what they have mailed. */
  makeReader(choice: MailChoice): Promise<Caller>;
  /** Lets the workers work on everything that happened; the mails that came of it, by receiver. */
  mailed(): Promise<ReceivedMail[]>;
  stop(): Promise<void>;
}

/** Starts one. */
export async function makeMailWorld(options: TestForgeOptions = {}): Promise<MailWorld> {
  const server = await startMailServer();
  const api = await makeApi({ ...options, settings: { ...server.settings, ...options.settings } });
  const alice = await api.makeUser({ name: "alice" });
  const repository = await makeRepository(api, alice);
  return {
    api,
    server,
    alice,
    repository,
    async makeReader(choice) {
      const caller = await api.makeUser();
      await choose(api, caller, choice);
      return caller;
    },
    async mailed() {
      await tell(api);
      await workOnMirrors(api);
      return server.taken().sort((one, other) => receiverOf(one).localeCompare(receiverOf(other)));
    },
    async stop() {
      await api.stop();
      await server.stop();
    },
  };
}

/** The address that a mail went to; each goes to one. */
export function receiverOf({ to }: ReceivedMail): string {
  const [receiver, ...others] = to;
  if (receiver === undefined || others.length > 0) throw new Error(`a mail went to ${to.join()}`);
  return receiver;
}

/** Sets what a user has mailed. */
export async function choose(api: TestApi, as: Caller, email_notifications: MailChoice): Promise<void> {
  const answer = await api.call("PATCH", "/user/settings", { as, body: { email_notifications } });
  if (answer.status !== 200) throw new Error(`not set: ${answer.text}`);
}

/** Makes a user watch a repository. */
export async function watch(api: TestApi, { path }: TestRepository, as: Caller): Promise<void> {
  const answer = await api.call("PUT", `${path}/subscription`, { as });
  if (answer.status !== 200) throw new Error(`not watched: ${answer.text}`);
}

/** Where the mails went. */
export const receivers = (mails: readonly ReceivedMail[]): string[] => mails.map(receiverOf);

/** The address that a test's user has. */
export const addressOf = ({ name }: Caller): string => `${name}@example.com`;

/** The two forms of a mail. */
export function textsOf(mail: ReceivedMail | undefined): { text: string; html: string } {
  if (mail === undefined) throw new Error("there is no mail");
  const { "text/plain": text = "", "text/html": html = "" } = partsOf(mail);
  return { text: text.replaceAll("\r\n", "\n"), html };
}
