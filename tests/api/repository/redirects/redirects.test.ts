import { describe, expect, it } from "vitest";
import { cloneAndCheck, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import {
  alice,
  api,
  bob,
  checked,
  create,
  folders,
  name,
  read,
  rename,
  served,
  useRedirects,
} from "./redirects-world.ts";

useRedirects();

describe("a repository's former name", () => {
  it("307: leads every operation to where it is now, with its query (semantics §1.3)", async () => {
    expect((await rename(name, `${name}-new`)).status).toBe(200);
    const { status, headers } = await read(`${name}?x=1&y=%20`);
    const base = api.forge.config.rootUrl;
    expect([status, headers.get("location")]).toEqual([
      307,
      `${base}/api/v1/repos/alice/${name}-new?x=1&y=%20`,
    ]);
    const below = await api.call("POST", `/repos/ALICE/${name.toLowerCase()}/issues`, {
      as: bob,
      body: { title: "t" },
    });
    expect([below.status, below.headers.get("location")]).toEqual([
      307,
      `${base}/api/v1/repos/alice/${name}-new/issues`,
    ]);
    await checked();
  });

  it("serves git: clone and push under the old name, without a redirect", async () => {
    const copy = await WorkingCopy.init(folders);
    const tip = await copy.commit({ "a.txt": "one\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
    await rename(name, `${name}-new`);
    const later = await copy.commit({ "a.txt": "two\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
    expect(await remoteRefs(served.url(`alice/${name}-new`))).toEqual([`${later} refs/heads/main`]);
    await cloneAndCheck(folders, served.url(`alice/${name}`));
    expect(tip).not.toBe(later);
    const refused = await copy.try("push", "-q", served.url(`alice/${name}`, bob), "main:x");
    expect(refused.code).not.toBe(0);
    await checked();
  });

  it("201 and 409: of two creations that take it at once one has it", async () => {
    await rename(name, `${name}-new`);
    const answers = await Promise.all(
      [{}, { auto_init: true }].map((body) =>
        api.call("POST", "/user/repos", { as: alice, body: { name, ...body } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("404: to whom the repository is hidden, and once it is deleted; the name can be taken again", async () => {
    await rename(name, `${name}-new`);
    await api.call("PATCH", `/repos/alice/${name}-new`, { as: alice, body: { private: true } });
    expect((await read(name, bob)).status).toBe(404);
    expect((await read(name, alice)).status).toBe(307);
    await api.call("DELETE", `/repos/alice/${name}-new`, { as: alice });
    expect((await read(name, alice)).status).toBe(404);
    await create(name);
  });

  it("is none of a name that differs only in its case", async () => {
    await rename(name, name.toUpperCase());
    expect((await read(name)).json.name).toBe(name.toUpperCase());
    expect((await read(name.toLowerCase())).status).toBe(200);
    await checked();
  });
});
