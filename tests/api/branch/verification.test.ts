import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeSshSigner } from "#tests/support/git/ssh-signer";
import { makeCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let alice: Caller;
let hidden: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  hidden = await api.makeUser({ name: "hidden", visibility: "private", fullName: "H. Idden" });
});
afterAll(() => api.stop());

/** A repository of Alice's with a commit that this user signed on its only branch; answers the branch's path. */
async function pushSigned(signer: Caller, format: "sha1" | "sha256"): Promise<string> {
  const name = `${signer.name}-${format}`;
  const key = makeSshSigner();
  const added = { title: name, key: key.line };
  expect((await api.call("POST", "/user/keys", { as: signer, body: added })).status).toBe(201);
  const body = { name, object_format_name: format };
  const { json } = await api.call("POST", "/user/repos", { as: alice, body });
  const author = { name: "Signer", email: signer.user.email };
  const { id, pack } = makeCommit({ format, author, sign: (payload) => key.signs(payload) });
  const changes = [{ name: "refs/heads/main", new: id }];
  const target = { id: json.id, ownerId: json.owner.id };
  await pushToRepository(api.forge, target, { user: alice.user }, { changes, pack });
  return `/repos/alice/${name}`;
}

const verificationOf = async (path: string, as?: Caller) =>
  (await api.call("GET", `${path}/branches/main`, { as })).json.commit.verification;

describe("repoGetBranch", () => {
  it.each(["sha1", "sha256"] as const)(
    "200: a commit signed with a known key is verified (%s)",
    async (format) => {
      const path = await pushSigned(alice, format);
      const verification = await verificationOf(path);
      expect(verification).toMatchObject({
        verified: true,
        reason: expect.stringMatching(/^alice \/ SHA256:/),
        signer: { name: "alice", email: "alice@example.com", username: "alice" },
        signature: expect.stringContaining("BEGIN SSH SIGNATURE"),
        payload: expect.stringContaining("committer C. O. Mitter"),
      });
      const { json } = await api.call("GET", `${path}/git/commits/main`);
      expect(json.commit.verification).toEqual(verification);
    },
  );

  it("200: a hidden signer is known to themselves, and to others as an unknown key (D-HIDDEN)", async () => {
    const path = await pushSigned(hidden, "sha1");
    const seen = await verificationOf(path, hidden);
    expect(seen).toMatchObject({ verified: true, signer: { name: "H. Idden", username: "hidden" } });
    for (const as of [undefined, alice]) {
      const unseen = await verificationOf(path, as);
      expect(unseen).toMatchObject({ verified: false, reason: "gpg.error.no_gpg_keys_found", signer: null });
    }
  });
});
