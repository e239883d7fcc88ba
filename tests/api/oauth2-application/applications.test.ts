import { describe, expect, it } from "vitest";
import { alice, api, bob, create, given, path, useApplications } from "./applications-world.ts";

useApplications();

describe("userCreateOAuth2Application, userGetOAuth2Application", () => {
  it("201: a client id, and a secret that this answer alone has", async () => {
    const answer = await api.call("POST", path, { body: given, as: alice });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.json).toMatchObject(given);
    expect(answer.json.client_id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(answer.json.client_secret).toMatch(/^gto_[a-z2-7]{52}$/);
    const shown = { ...answer.json, client_secret: "" };
    expect((await api.call("GET", `${path}/${answer.json.id}`, { as: alice })).json).toEqual(shown);
    const kept = await api.forge.table.queryAll({ pk: `U#${alice.user.id}`, prefix: "OAUTH2#" });
    expect(JSON.stringify(kept)).not.toContain(answer.json.client_secret.slice(4));
  });
});

describe("userGetOAuth2Applications", () => {
  it("200: in pages, by id, without secrets", async () => {
    const carol = await api.makeUser({ name: "carol" });
    for (const name of ["one", "two", "three"]) await create({ ...given, name }, carol);
    const answer = await api.call("GET", `${path}?limit=2&page=2`, { as: carol });
    expect(answer.json).toMatchObject([{ name: "three", client_secret: "" }]);
    expect(answer.headers.get("x-total-count")).toBe("3");
  });
});

describe("userUpdateOAuth2Application", () => {
  it("200: all three fields are replaced, and the secret", async () => {
    const { id, client_id, client_secret, created } = await create();
    const body = { name: "other", redirect_uris: ["tool.example:/done", "http://127.0.0.1"] };
    const answer = await api.call("PATCH", `${path}/${id}`, { body, as: alice });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.json).toMatchObject({ ...body, id, client_id, created, confidential_client: false });
    expect(answer.json.client_secret).toMatch(/^gto_/);
    expect(answer.json.client_secret).not.toBe(client_secret);
  });
});

describe("userDeleteOAuth2Application", () => {
  it("204 once; its client id leads nowhere then", async () => {
    const { id, client_id } = await create();
    const remove = async () => (await api.call("DELETE", `${path}/${id}`, { as: alice })).status;
    expect(await api.forge.table.get({ pk: `OAUTH2#${client_id}`, sk: "#" })).toBeDefined();
    expect((await Promise.all([remove(), remove()])).sort()).toEqual([204, 404]);
    expect(await api.forge.table.get({ pk: `OAUTH2#${client_id}`, sk: "#" })).toBeUndefined();
  });
});

describe("OAuth2 applications (semantics §68.1)", () => {
  it.each(["GET", "PATCH", "DELETE"])(
    "404 for %s of another user's, as for one that isn't there",
    async (method) => {
      const { id } = await create();
      const body = method === "PATCH" ? { body: given } : {};
      const answers = [];
      for (const one of [id, 999_999]) {
        const { status, json } = await api.call(method, `${path}/${one}`, { ...body, as: bob });
        answers.push([status, String(json.message).replace(String(one), "")]);
      }
      expect(answers[0]?.[0]).toBe(404);
      expect(answers[0]).toEqual(answers[1]);
      expect((await api.call("GET", `${path}/${id}`, { as: alice })).json).toMatchObject(given);
    },
  );

  const refused: [object, string][] = [
    [{ redirect_uris: given.redirect_uris }, "Name"],
    [{ name: "ci" }, "RedirectUris"],
    [{ ...given, name: " " }, "Name"],
    [{ ...given, name: "x".repeat(256) }, "Name"],
    [{ ...given, name: "ci\u202eic" }, "Name"],
    [{ ...given, name: "ci\nby your administrator" }, "Name"],
    [{ ...given, redirect_uris: [] }, "RedirectUris"],
    [{ ...given, redirect_uris: Array(21).fill("https://ci.example") }, "RedirectUris"],
    [{ ...given, redirect_uris: [`https://ci.example/${"x".repeat(2_048)}`] }, "RedirectUris"],
  ];
  const badUris = [
    ...[
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "java\nscript:x",
      "data:text/html,x",
      "file:///etc/passwd",
    ],
    ...["/login", "https://ci.example/#x", "https://ci.example/#", " https://ci.example", "https://"],
    ...["https:\\\\evil.com\\", "https:ci.example", "https://*/", "https://a@b", "view-source:https://x"],
    // A Location header can hold none of these.
    ...["https://ci.example/\u4f8b", "https://ci.example/\u0001", "tool.example:/\u00fc"],
  ];
  for (const uri of badUris) refused.push([{ ...given, redirect_uris: [uri] }, "RedirectUris"]);
  it.each(refused)("422 for %j, naming the field", async (body, field) => {
    const answer = await api.call("POST", path, { body, as: bob });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(`[${field}]`);
    expect((await api.call("GET", path, { as: bob })).json).toEqual([]);
  });
});
