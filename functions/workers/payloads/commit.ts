import { maySeeUser } from "#core/access/visibility";
import type { Forge } from "#core/forge";
import type { Identity } from "#core/git/object/identity";
import { changedFiles } from "#core/hook/changed-files";
import type { ObjectReader, PushedCommit } from "#core/hook/pushed-commits";
import * as users from "#core/user/user";
import { shownIdentity, shownMessage } from "../../api/branch/payload-commit.ts";
import { linkTo, timestamp } from "../../api/view.ts";
import type { Subject } from "./subject.ts";

const latestSeconds = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** Presents the commits of pushes; remembers who owns which e-mail address, for the length of one event. */
export class CommitPresenter {
  readonly #forge: Forge;
  readonly #subject: Subject;
  readonly #names = new Map<string, Promise<string>>();

  constructor(forge: Forge, subject: Subject) {
    this.#forge = forge;
    this.#subject = subject;
  }

  /** A commit as payloads show it (semantics §27.5), with the paths that it touched. */
  async present(reader: ObjectReader, { id, commit }: PushedCommit): Promise<object> {
    const { added, removed, modified } = await changedFiles(reader, commit);
    return {
      id,
      message: shownMessage(commit),
      url: this.#link("commit", id),
      author: await this.#person(commit.author),
      committer: await this.#person(commit.committer),
      verification: null,
      timestamp: timestamp(Math.min(Math.max(commit.author.seconds, 0), latestSeconds)),
      added,
      removed,
      modified,
    };
  }

  /** Where the difference between two commits is shown. */
  compareLink = (from: string, to: string): string => this.#link("compare", `${from}...${to}`);

  #link(...segments: string[]): string {
    const { owner, repository } = this.#subject.details;
    return linkTo(this.#forge.config, owner.name, repository.name, ...segments);
  }

  async #person(identity: Identity): Promise<object> {
    const key = identity.email.toLowerCase();
    const username = this.#names.get(key) ?? this.#nameOf(key);
    this.#names.set(key, username);
    return { ...shownIdentity(identity), username: await username };
  }

  async #nameOf(email: string): Promise<string> {
    const user = email.includes("@") ? await users.findByLogin(this.#forge, email) : undefined;
    const { owner } = this.#subject.details;
    const reader = owner.kind === "user" ? { user: owner } : undefined;
    return user !== undefined && maySeeUser(reader, user) ? user.name : "";
  }
}
