import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { sendFile } from "../../attachment/make.ts";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, openIssue } from "../make.ts";

/** The forms in which an issue or a comment takes a date (semantics §4.1), each with everything that it must date. */
interface Form {
  readonly form: string;
  readonly status: number;
  /** Sends it, with this date if one is given. */
  send(as: Caller, at?: unknown): Promise<ApiAnswer>;
  /** The dates beside the issue's, from the answer or a later one. */
  dated?(answer: ApiAnswer): Promise<readonly string[]>;
  /** Without a date the issue keeps its own. */
  readonly keepsIssue?: true;
}

let api: TestApi;
let owner: Caller;
let writer: Caller;
/** Administrates the repository, as a collaborator. */
let admin: Caller;
/** Administrates the site. */
let boss: Caller;
let where: TestRepository;
let issue: string;
let commentId: number;
let labelIds: readonly [number, number];
const hour = 3_600_000;

beforeAll(async () => {
  api = await makeApi();
  [owner, writer] = [await api.makeUser(), await api.makeUser()];
  where = await makeRepository(api, owner);
  [admin, boss] = [await api.makeUser(), await api.makeUser({ isAdmin: true })];
  const given: [Caller, string][] = [
    [writer, "write"],
    [admin, "admin"],
  ];
  for (const [{ name }, permission] of given) {
    await api.call("PUT", `${where.path}/collaborators/${name}`, { as: owner, body: { permission } });
  }
  const make = async (name: string): Promise<number> => {
    const body = { name, color: "ff0000" };
    return (await api.call("POST", `${where.path}/labels`, { as: owner, body })).json.id;
  };
  labelIds = [await make("one"), await make("two")];
});
beforeEach(async () => {
  const opened = await openIssue(api, where, owner, { title: "Before", labels: [labelIds[0]] });
  issue = `/issues/${opened.number}`;
  commentId = (await addComment(api, where, opened.number, writer)).id;
  api.clock.advance(2 * hour);
});
afterAll(() => api.stop());

const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const ago = (ms: number) => text(api.clock.now() - ms);
const get = async (path: string) => (await api.call("GET", `${where.path}${path}`, { as: owner })).json;
const dated = (at: unknown) => defined({ updated_at: at });
const send =
  (method: string, path: () => string, body: () => object = () => ({})) =>
  (as: Caller, at?: unknown) =>
    api.call(method, `${where.path}${path()}`, { as, body: { ...body(), ...dated(at) } });
const uploadWith = (path: () => string, inForm: boolean) => (as: Caller, at?: unknown) => {
  const query = at === undefined || inForm ? "" : `?updated_at=${encodeURIComponent(String(at))}`;
  const fields = inForm && at !== undefined ? { updated_at: String(at) } : {};
  return sendFile(api, `${where.path}${path()}${query}`, as, { fields });
};
const newestEntry = async () => {
  const { created_at: created, updated_at: updated } = (await get(`${issue}/timeline`)).at(-1);
  return [created, updated];
};
const comment = async () => [(await get(`/issues/comments/${commentId}`)).updated_at];
const created = async ({ json }: ApiAnswer) => [json.created_at];
const labels = () => `${issue}/labels`;
const onIssue = () => `${issue}/assets`;
const onComment = () => `/issues/comments/${commentId}/assets`;
const ofBoth = async (answer: ApiAnswer) => [...(await created(answer)), ...(await comment())];

const forms: readonly Form[] = [
  {
    form: "issueEditIssue",
    status: 201,
    send: send(
      "PATCH",
      () => issue,
      () => ({ title: "After" }),
    ),
    dated: newestEntry,
  },
  {
    form: "issueAddLabel",
    status: 200,
    send: send("POST", labels, () => ({ labels: [labelIds[1]] })),
    dated: newestEntry,
  },
  {
    form: "issueReplaceLabels",
    status: 200,
    send: send("PUT", labels, () => ({ labels: [labelIds[1]] })),
    dated: newestEntry,
  },
  {
    form: "issueRemoveLabel",
    status: 204,
    send: send("DELETE", () => `${labels()}/${labelIds[0]}`),
    dated: newestEntry,
  },
  {
    form: "issueClearLabels",
    status: 204,
    send: send("DELETE", labels),
    dated: newestEntry,
  },
  {
    form: "issueCreateIssueAttachment (query)",
    status: 201,
    send: uploadWith(onIssue, false),
    dated: created,
  },
  {
    form: "issueCreateIssueAttachment (form)",
    status: 201,
    send: uploadWith(onIssue, true),
    dated: created,
  },
  {
    form: "issueCreateComment",
    status: 201,
    send: send(
      "POST",
      () => `${issue}/comments`,
      () => ({ body: "text" }),
    ),
    dated: async ({ json }) => [json.created_at, json.updated_at, ...(await newestEntry())],
  },
  {
    form: "issueEditComment",
    status: 200,
    send: send(
      "PATCH",
      () => `/issues/comments/${commentId}`,
      () => ({ body: "new" }),
    ),
    dated: comment,
    keepsIssue: true,
  },
  {
    form: "issueEditCommentDeprecated",
    status: 200,
    send: send(
      "PATCH",
      () => `${issue}/comments/${commentId}`,
      () => ({ body: "new" }),
    ),
    dated: comment,
    keepsIssue: true,
  },
  {
    form: "issueCreateIssueCommentAttachment (query)",
    status: 201,
    send: uploadWith(onComment, false),
    dated: ofBoth,
    keepsIssue: true,
  },
  {
    form: "issueCreateIssueCommentAttachment (form)",
    status: 201,
    send: uploadWith(onComment, true),
    dated: ofBoth,
    keepsIssue: true,
  },
];

describe.each(forms)("updated_at of $form", ({ status, send: act, dated: datesOf, keepsIssue }) => {
  const everything = async () => [
    await get(issue),
    await get(`${issue}/timeline`),
    await get(`${issue}/comments`),
  ];
  const expectDated = async (sent: unknown, expected: string, as = owner) => {
    const answer = await act(as, sent);
    expect(answer.status).toBe(status);
    expect(new Set(await datesOf?.(answer))).toEqual(new Set([expected]));
    return (await get(issue)).updated_at;
  };

  it("dates what is written and the issue, backwards, to the second (B-01a, B-01b, B-01c, B-01d, B-01e, B-01f, D-TOUCH)", async () => {
    const time = api.clock.now() - hour;
    const local = new Date(time + 2 * hour).toISOString().replace(/\.\d+Z/, ".900+02:00");
    expect(await expectDated(local, text(time))).toBe(text(time));
  });

  it("is now where it is absent; an edit of a comment or a file on it leaves the issue's (semantics §4.3)", async () => {
    const { updated_at: before } = await get(issue);
    expect(await expectDated(undefined, ago(0))).toBe(keepsIssue === true ? before : ago(0));
  });

  it.each([
    ["repository, a collaborator", () => admin],
    ["site", () => boss],
  ])("is taken from an administrator of the %s, too (B-02b)", async (_what, who) => {
    expect(await expectDated(ago(hour), ago(hour), who())).toBe(ago(hour));
  });

  it("may be the issue's creation, or this second (B-02a)", async () => {
    const { created_at: creation } = await get(issue);
    expect(await expectDated(creation, creation)).toBe(creation);
  });

  it("403 for writers, and before the creation or after now; 422: no date; nothing is changed (B-02a, B-02b)", async () => {
    const before = await everything();
    const early = text(Date.parse(before[0].created_at) - 1000);
    const refused: [Caller, unknown, number][] = [
      [writer, ago(hour), 403],
      [owner, early, 403],
      [owner, ago(-1000), 403],
      [owner, "yesterday", 422],
      [owner, "2024-13-01T00:00:00Z", 422],
    ];
    for (const [as, at, expected] of refused) {
      expect([at, (await act(as, at)).status]).toEqual([at, expected]);
    }
    expect(await everything()).toEqual(before);
  });
});
