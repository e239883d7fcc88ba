import { expect } from "vitest";
import type { Endpoint } from "#functions/http/endpoint";
import type { Caller, TestApi } from "#tests/support/api";
import { sendFile } from "./attachment/make.ts";

/** An administrator who owns one thing of each of many kinds, and somebody else. */
export interface RefusalWorld {
  readonly boss: Caller;
  readonly stranger: Caller;
  /** Creates a thing; answers its id. */
  make(path: string, body: object): Promise<string>;
  /** Has these values stand for parameters of paths that fit, before those of earlier ones. */
  know(beginning: RegExp, values: Readonly<Record<string, string>>): void;
  /** An operation's path to what there is; `other`: other values. */
  pathOf(one: Endpoint, other?: Readonly<Record<string, string>>): string;
}

/**
 * boss/open has an issue with a comment, both with attachments, and request 2 with a review; boss/old is archived; acme
 * has the team crew.
 */
export async function makeRefusalWorld(api: TestApi): Promise<RefusalWorld> {
  const boss = await api.makeUser({ name: "boss", isAdmin: true });
  const stranger = await api.makeUser({ name: "stranger" });
  const known: [RegExp, Readonly<Record<string, string>>][] = [];
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await api.call("POST", path, { as: boss, body });
    expect(status, `${path}: ${text}`).toBeLessThan(300);
    return String(json?.id);
  };
  const attach = async (path: string) => String((await sendFile(api, `${path}/assets`, boss)).json.id);
  const know: RefusalWorld["know"] = (beginning, values) => void known.push([beginning, values]);
  know(/^/, {
    ...{ owner: "boss", repo: "open", org: "acme", username: "boss", user: "boss", diffType: "diff" },
    ...{ template_owner: "boss", template_repo: "open" },
  });
  know(/^\/repositories\//, { id: await make("/user/repos", { name: "open", auto_init: true }) });
  await make("/user/repos", { name: "old", auto_init: true });
  await api.call("PATCH", "/repos/boss/old", { as: boss, body: { archived: true } });
  await make("/orgs", { username: "acme" });
  know(/^\/teams\//, { id: await make("/orgs/acme/teams", { name: "crew", units: ["repo.code"] }) });
  const open = "/repos/boss/open";
  await make(`${open}/issues`, { title: "An issue" });
  const comment = await make(`${open}/issues/1/comments`, { body: "words" });
  const ofIssue = await attach(`${open}/issues/1`);
  know(/\/issues\/\{index\}/, { index: "1", id: comment, attachment_id: ofIssue });
  const ofComment = await attach(`${open}/issues/comments/${comment}`);
  know(/\/issues\/comments\//, { id: comment, attachment_id: ofComment });
  know(/\/releases\/\{id\}/, { id: await make(`${open}/releases`, { tag_name: "v0" }) });
  const file = { content: "", message: "m", branch: "main", new_branch: "topic" };
  await make(`${open}/contents/new.txt`, file);
  await make(`${open}/pulls`, { title: "A request", head: "topic", base: "main" });
  const given = { event: "COMMENT", comments: [{ path: "README.md", body: "words", new_position: 1 }] };
  const review = await make(`${open}/pulls/2/reviews`, { ...given, body: "seen" });
  const [{ id }] = (await api.call("GET", `${open}/pulls/2/reviews/${review}/comments`, { as: boss })).json;
  know(/\/pulls\/\{index\}/, { index: "2", id: review, comment: String(id) });
  know(/\/pulls\/(?:\{index\}\/)?comments\//, { id: String(id) });
  const pathOf: RefusalWorld["pathOf"] = ({ path }, other = {}) => {
    const fitting = known.filter(([beginning]) => beginning.test(path)).map(([, values]) => values);
    const values: Readonly<Record<string, string>> = Object.assign({}, ...fitting, other);
    return path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "1");
  };
  return { boss, stranger, make, know, pathOf };
}
