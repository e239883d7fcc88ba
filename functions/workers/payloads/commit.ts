import { maySeeUser } from "#core/access/visibility";
import type { Forge } from "#core/forge";
import { changedPaths } from "#core/git/diff/changed-paths";
import type { Identity } from "#core/git/format/identity";
import type { History, IdentifiedCommit } from "#core/git/history/history";
import { findUserByLogin } from "#core/user/find";
import { payloadCommit } from "../../api/commit/payload-commit.ts";
import { linkTo } from "../../http/answer/links.ts";
import type { Subject } from "./subject.ts";

/** Presents the commits of pushes; remembers the owners of e-mail addresses during one event. */
export class CommitPresenter {
  readonly #forge: Forge;
  readonly #subject: Subject;
  readonly #names = new Map<string, Promise<string>>();

  constructor(forge: Forge, subject: Subject) {
    this.#forge = forge;
    this.#subject = subject;
  }

  /** A commit in payloads (semantics §27.5), with its changed paths. */
  async present(history: History, found: IdentifiedCommit): Promise<object> {
    const { author, committer } = found.commit;
    const names = [await this.#username(author), await this.#username(committer)] as const;
    const common = payloadCommit(this.#forge, this.#subject.details, found, names);
    return { ...common, verification: null, ...(await changedPaths(history, found.commit)) };
  }

  /** The address of the difference between two commits. */
  compareLink = (from: string, to: string): string => this.#link("compare", `${from}...${to}`);

  #link(...segments: string[]): string {
    const { owner, repository } = this.#subject.details;
    return linkTo(this.#forge.config, owner.name, repository.name, ...segments);
  }

  #username({ email }: Identity): Promise<string> {
    const key = email.toLowerCase();
    const username = this.#names.get(key) ?? this.#nameOf(key);
    this.#names.set(key, username);
    return username;
  }

  async #nameOf(email: string): Promise<string> {
    const user = email.includes("@") ? await findUserByLogin(this.#forge, email) : undefined;
    const { owner } = this.#subject.details;
    const reader = owner.kind === "user" ? { user: owner } : undefined;
    return user !== undefined && maySeeUser(reader, user) ? user.name : "";
  }
}
