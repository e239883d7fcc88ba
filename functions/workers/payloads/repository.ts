import type { Notice } from "#core/hook/announce";
import { presentOwner } from "../../api/organization/present.ts";
import { presentRepository } from "../../api/repository/present.ts";
import type { Subject } from "./subject.ts";

/** What hooks are told of a repository that came or goes. `organization` is the owner, also when it is a user. */
export function repositoryNotice({ view, details, sender }: Subject, action: "created" | "deleted"): Notice {
  const payload = {
    action,
    repository: presentRepository(view, details),
    organization: presentOwner(view, details.owner),
    sender,
  };
  return { eventType: "repository", what: action, payloadFor: () => payload };
}
